# lesson 15, check questions
import math

# question 1
q1_rms_scaled = math.sqrt((30**2 + 40**2) / 2)
q1_scaled_changes = False  # everything is divided by a ten times larger rms
q1_rms_shifted = math.sqrt((13**2 + 14**2) / 2)
q1_shifted_changes = True

# question 2
q2_block_output = "x"
q2_guarantees_gradient = False


def q2_branch(x):
    # dy/dx = 1 + F'(x), so F'(x) has to be -1 everywhere
    return -1 * x
