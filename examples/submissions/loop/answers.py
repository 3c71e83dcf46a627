q1_rms_scaled = 35.35534
q1_scaled_changes = False
q1_rms_shifted = 13.50926
q1_shifted_changes = True
q2_block_output = "x"
q2_guarantees_gradient = False


def q2_branch(x):
    return -x
