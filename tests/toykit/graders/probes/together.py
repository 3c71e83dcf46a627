"""What is tried on both."""


def chain(parts, draw):
    """Mix a sum"""
    a, b = draw(3), draw(3)
    return {"y": parts.mixer.Mixer(0.25).mix(parts.adder.add(a, b), b)}
