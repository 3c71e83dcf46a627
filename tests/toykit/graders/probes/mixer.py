"""What is tried on Mixer."""


def half(parts, draw):
    """Mix half and half"""
    return {"y": parts.mixer.Mixer(0.5).mix(draw(3), draw(3))}


def ends(parts, draw):
    """Mix all of one and nothing of the other"""
    a, b = draw(3), draw(3)
    return {"first": parts.mixer.Mixer(1.0).mix(a, b), "second": parts.mixer.Mixer(0.0).mix(a, b)}
