"""What is tried on add."""


def value(parts, draw):
    """Add two vectors"""
    return {"y": parts.adder.add(draw(3), draw(3))}


def zeros(parts, draw):
    """Add nothing"""
    a = draw(2, 2)
    return {"y": parts.adder.add(a, a * 0), "a": a}


def rule_short(sources):
    """Keep it short"""
    return {"short": len(sources["adder"]) < 100_000}
