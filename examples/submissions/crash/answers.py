# question 1
q1_rms_scaled = (30**2 + 40**2) ** 0.5  # = 50
q1_scaled_changes = False
q1_rms_shifted = (13**2 + 14**2) ** 0.5
q1_shifted_changes = True

# question 2
q2_block_output = "x"
q2_guarantees_gradient = False


def q2_branch(x):
    return x * -1.0
