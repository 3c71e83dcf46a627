q1_rms_scaled = 35.3553
q1_scaled_changes = "no"
q1_rms_shifted = 13.5093
q1_shifted_changes = "yes"

q2_block_output = "x"
q2_guarantees_gradient = False


def q2_branch(x):
    return 0 - x
