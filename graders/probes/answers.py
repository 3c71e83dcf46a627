"""What is tried on the answers: each is read alone, and q2_branch is tried, not read."""

import torch


def q1_rms_scaled(parts, draw):
    """The root mean square of [30, 40]."""
    return {"answer": answer(parts.answers.q1_rms_scaled)}


def q1_scaled_changes(parts, draw):
    """Whether a vector ten times as large has another normalized vector."""
    return {"answer": answer(parts.answers.q1_scaled_changes)}


def q1_rms_shifted(parts, draw):
    """The root mean square of [13, 14]."""
    return {"answer": answer(parts.answers.q1_rms_shifted)}


def q1_shifted_changes(parts, draw):
    """Whether a vector with 10 added to each entry has another normalized vector."""
    return {"answer": answer(parts.answers.q1_shifted_changes)}


def q2_block_output(parts, draw):
    """What a block gives when both branches return zero."""
    found = answer(parts.answers.q2_block_output)
    return {"answer": found.strip().casefold() if type(found) is str else found}


def q2_guarantees_gradient(parts, draw):
    """Whether a direct path guarantees a gradient that is not zero."""
    return {"answer": answer(parts.answers.q2_guarantees_gradient)}


def q2_branch(parts, draw):
    """Go backward through x plus the branch, from each entry of the sum alone and from all together."""
    x = both_signs(draw(2, 3))
    with torch.enable_grad():
        x.requires_grad_()
        y = x + parts.answers.q2_branch(x.clone())
        rows = [torch.autograd.grad(entry, x, retain_graph=True)[0] for entry in y.flatten()]
    return {"sum": sum(rows), "each": torch.stack(rows)}


def q2_branch_pure(parts, draw):
    """Call q2_branch and look at its input afterwards."""
    x = both_signs(draw(2, 3))
    parts.answers.q2_branch(x)
    return {"x": x}


def both_signs(numbers):
    """Numbers well away from zero whose signs take turns."""
    return (numbers.abs() + 0.5) * torch.tensor([[1, -1, 1], [-1, 1, -1]])


def answer(given):
    """A plain answer; a tensor or array with one element counts as that element. `...` and None are not answered yet."""
    if given is None or given is ...:
        raise NotImplementedError("This question is not answered yet.")
    one = type(given).__module__.split(".")[0] in ("torch", "numpy") and getattr(given, "size", None)
    elements = given.numel() if callable(one) else one
    return given.reshape(()) if elements == 1 else given
