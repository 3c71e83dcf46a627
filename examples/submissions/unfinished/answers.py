"""Exercise 4: the check questions of lesson 15. Answer with plain numbers, True or False, and short texts, one in the place of each `...`."""

# Question 1. All scales are 1. Replace [3, 4] by [30, 40].
# What is the root mean square of the new vector?
q1_rms_scaled = 35.36

# Leaving eps aside: does the normalized vector change? True or False.
q1_scaled_changes = False

# Now add 10 to both entries of [3, 4] instead. What is the root mean square of the new vector?
q1_rms_shifted = 13.509

# Does the normalized vector change this time? True or False.
q1_shifted_changes = ...

# Question 2. Both branches of a block return zero for every input.
# What does the block return? One of "x", "zeros", "2x", "norm(x)".
q2_block_output = "x"

# Does a direct path guarantee that the gradient is not zero? True or False.
q2_guarantees_gradient = ...


def q2_branch(x):
    """Return F(x) for a branch F such that y = x + F(x) has no gradient: every derivative of y by x is zero."""
    raise NotImplementedError("Open exercises/answers.py and write q2_branch.")
