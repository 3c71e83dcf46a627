"""What is tried on RMSNorm."""

import torch


def value(parts, draw):
    """Normalize a few vectors."""
    return {"y": parts.rmsnorm.RMSNorm(8)(draw(3, 8))}
