"""Toy 2: mix two things by adding shares of them."""

from .adder import add


class Mixer:
    """Mix with a fixed share of the first."""

    def __init__(self, share):
        """Keep the share."""
        ### BEGIN SOLUTION
        self.share = share
        ### END SOLUTION

    def mix(self, a, b):
        """Return share * a + (1 - share) * b."""
        ### BEGIN SOLUTION
        return add(self.share * a, (1 - self.share) * b)
        ### END SOLUTION
