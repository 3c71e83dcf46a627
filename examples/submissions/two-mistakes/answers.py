q1_rms_scaled = 35.355
q1_scaled_changes = False
q1_rms_shifted = 13.509
q1_shifted_changes = True

q2_block_output = "x"
q2_guarantees_gradient = True


def q2_branch(x):
    return -x
