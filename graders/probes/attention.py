"""What is tried on CausalSelfAttention.

A probe about numbers fills the four projections with known ones. A probe about a relation between runs (does this position see
that one?) does so where it can; else it keeps the numbers the module started with, for a relation holds whatever they are.
Everything runs in eval mode, where nothing is dropped at random, and each text is read by a module as good as new, which remembers
nothing, unless the mode or the memory itself is what is tried.
"""

import torch
from torch.nn.utils import parametrize

from graders.probes.projections import each, everything, filled, like, new, projections, read, ready
from graders.probes.shared import gradients, one_tensor, put, run, strided

SHARP = 1.4  # for queries and keys: scores of about 2, so that scale, rotation and mask all show in the output
FLAT = 0.5  # scores of about 0.25, so that every position has a weight that counts, whatever the scores are divided by


def params(parts, draw):
    """List the names and shapes of all parameters."""
    named = list(parts.attention.CausalSelfAttention(12, 3).named_parameters())
    return {name[:64]: torch.tensor(parameter.shape) for name, parameter in named[:16]}


def value(parts, draw):
    """Attend over seven positions with two heads."""
    weights, x = low(draw, 7, 16)
    return {"y": read(filled(parts, weights), x)}


def heads1(parts, draw):
    """Attend with a single head."""
    weights, x = low(draw, 5, 8)
    return {"y": read(filled(parts, weights, 1), x)}


def heads4(parts, draw):
    """Attend with four heads."""
    weights, x = low(draw, 6, 16)
    return {"y": read(filled(parts, weights, 4), x)}


def theta(parts, draw):
    """Attend with a theta of 20 instead of 10000."""
    weights, x = low(draw, 7, 16)
    return {"y": read(filled(parts, weights, 2, 20.0), x)}


def length(parts, draw):
    """Read texts of 1, 2, 3, 40 and 260 positions, each with a new module."""
    weights = numbers(draw, 4)
    return {f"t{n}": read(filled(parts, weights, 1), draw(1, n, 4)) for n in (1, 2, 3, 40, 260)}  # some cut off at 256


def large(parts, draw):
    """Attend with scores in the hundreds, where one position takes all the weight."""
    weights, x = numbers(draw, 16), draw(1, 6, 16)
    # Only the slowest pair of each head carries scores, so that rotation hardly changes them: q = x[0], k = x[1].
    weights[:2] = 0
    weights[0, 3::8, 0], weights[1, 3::8, 1] = 1, 1
    x[0, :, 0] = 40 * torch.tensor([1, -1, 1, -1, 1, -1])
    x[0, :, 1] = 10 * torch.tensor([2, 4, 1, 6, 3, 5])  # the winner leads by 400 or more before the scores are scaled
    return {"y": read(filled(parts, weights), x)}


def prefix_mean(parts, draw):
    """Attend with q_proj at zero, so that all scores are equal."""
    weights = numbers(draw, 8)
    weights[0] = 0
    return {"y": read(filled(parts, weights), draw(2, 6, 8))}


def causal(parts, draw):
    """Change one position of a text at a time and see which outputs move."""
    weights, x = numbers(draw, 8, FLAT), draw(2, 5, 8)
    texts = [x, *(moved(x, t, 2 * draw(8)) for t in range(4)), x[:, [1, 0, 2, 3, 4]]]
    outputs = each(parts, weights, texts)  # [R, B, T, D]
    return {"runs": outputs[:-1], "swapped": outputs[[0, -1]], "first": outputs[0, :, 0]}


def causal_strong(parts, draw):
    """Make everything after a position forty times as large and see which outputs move."""
    weights, x, far = numbers(draw, 8, 2), draw(1, 6, 8), 40 * draw(1, 6, 8)
    far[:, 3::2] = -far[:, 2::2]  # whoever looks there finds a high score on one side or on the other
    texts = [x, *(torch.cat([x[:, :t], far[:, t:]], 1) for t in (2, 4))]
    outputs = each(parts, weights, texts)  # [R, B, T, D]
    return {"before 2": outputs[[0, 1], :, :2], "before 4": outputs[[0, 2], :, :4]}


def batch(parts, draw):
    """Read three texts together, then two of them alone."""
    plain = parts.once(_reading)
    alone = torch.cat([read(ready(parts, plain["weights"]), text[None]) for text in plain["x"][[0, 2]]])
    return {"runs": torch.stack([alike(plain)[[0, 2]], alone])}


def shape(parts, draw):
    """Read batches of several sizes, a lone text and a lone position among them."""
    weights = numbers(draw, 8)
    texts = {"huge": 1e4 * draw(3, 5, 8), "lone": draw(2, 1, 8), "zeros": torch.zeros(1, 4, 8)}
    return {name: run(ready(parts, weights), x) for name, x in texts.items()}


def grads(parts, draw):
    """Go backward from a weighted sum of the outputs to the input and the four projections."""
    module = filled(parts, numbers(draw, 8))
    x, weight = draw(2, 5, 8).requires_grad_(), draw(2, 5, 8)
    with parametrize.cached():  # a weight that is computed is then the same tensor here as in the call
        output = run(module, x)
        if not output.requires_grad:  # gradients may be switched off in eval mode; `mode` tells
            output = run(module.train(), x)
        return gradients((output * weight).sum(), {"x": x, **projections(module)})


def no_mutation(parts, draw):
    """Look at the input again after the call."""
    return {"x": parts.once(_reading)["given"]}


def stateless(parts, draw):
    """Read a text, another and a longer one with one module; new modules read the second and the third."""
    plain, longer = parts.once(_reading), draw(2, 7, 8)
    used = new(parts, plain["weights"])
    read(used, draw(3, 5, 8))
    second = torch.stack([alike(plain), read(used, plain["x"])])
    return {"second": second, "longer": torch.stack([read(new(parts, plain["weights"]), longer), read(used, longer)])}


def mode(parts, draw):
    """Read one text in training mode and in eval mode, and see whether a gradient could flow."""
    plain = parts.once(_reading)
    outputs = [run(ready(parts, plain["weights"]).train(), plain["leaf"]), one_tensor(plain["y"])]
    return {"y": torch.stack(outputs), "graph": torch.tensor([[float(y.requires_grad)] for y in outputs])}


def layout(parts, draw):
    """Read one text in two memory layouts."""
    plain = parts.once(_reading)
    return {"runs": torch.stack([alike(plain), read(ready(parts, plain["weights"]), strided(plain["x"], 1, 2))])}


def _reading(parts, draw):
    """One text, read once by a new module: what several probes start from."""
    weights, x = numbers(draw, 8), draw(3, 5, 8)
    module, leaf = new(parts, weights), x.clone().requires_grad_()
    given = leaf.clone()
    return {"weights": weights, "x": x, "leaf": leaf, "given": given, "y": module(given)}


def instances(parts, draw):
    """Change all numbers of one module and look at those of another."""
    one, other = (parts.attention.CausalSelfAttention(8, 2) for _ in range(2))
    before = everything(other)
    for parameter in one.parameters():
        put(parameter, parameter + 1)
    return {"runs": torch.stack([before, everything(other)])}


def numbers(draw, width, gain=SHARP):
    """Weights for the four projections, in the order of ROLES: [4, D, D]."""
    weights = draw(4, width, width) / width**0.5
    weights[:2] *= gain
    return weights


def low(draw, length, width):
    """Weights, and one text for them, whose scores are all lower by some 4: what stands for a hidden score must be lower still."""
    weights, x = numbers(draw, width), draw(1, length, width)
    x[..., 0] = 1
    weights[0, :, 0] += 1.2
    weights[1, :, 0] -= 1.2
    return weights, x


def alike(plain):
    """The output of `_reading` in that form."""
    return like(one_tensor(plain["y"]).detach(), plain["x"])


def moved(x, position, step):
    """A copy of x [B, T, D] whose last text has another vector at one position."""
    changed = x.clone()
    changed[-1, position] += step
    return changed
