"""Toy 1: add."""


def add(a, b):
    """Return a + b."""
    ### BEGIN SOLUTION
    return a + b
    ### END SOLUTION
