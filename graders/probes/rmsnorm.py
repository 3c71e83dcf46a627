"""What is tried on RMSNorm.

The scale is set to ones wherever it is not itself what is tried, so a wrong start costs one check. Inputs about eps and size have two
axes, so a wrong axis is not paid twice. A relation (do two runs agree?) holds whatever the numbers are; factors in it are powers of two.
"""

import contextlib

import torch

from graders.probes.calls import library_calls
from graders.probes.shared import NoSuchRoleError, away, calm, gradients, match, put, run, strided
from graders.probes.sources import library_uses

WIDTH = 64
LIBRARY = ("RMSNorm", "rms_norm", "_fused_rms_norm")
SMALL = 1e-2  # the default eps shows
WORDS = ("scale", "scales", "weight", "weights", "gain", "gains", "gamma", "g", "w", "alpha", "factor", "multiplier")


def three_four(parts, draw):
    """Normalize [3, 4]."""
    return {"y": run(made(parts, 2), torch.tensor([3.0, 4.0]))}


def value(parts, draw):
    """Normalize ten vectors of many sizes."""
    x = torch.linspace(0.8, 2, 10).view(2, 5, 1) * (draw(2, 5, WIDTH) + 0.5)
    return {"y": made(parts)(x), "x": x}


def shape(parts, draw):
    """Normalize inputs with one to four axes."""
    return {f"axes {len(axes)}": run(made(parts), draw(*axes)) for axes in ((WIDTH,), (1, WIDTH), (2, 1, WIDTH), (2, 3, 1, WIDTH))}


def widths(parts, draw):
    """Normalize vectors with 1, 3 and 100 entries."""
    return {f"width {width}": run(made(parts, width), away(draw(4, width))) for width in (1, 3, 100)}


def independent(parts, draw):
    """Put another, far larger vector at one position of one sample and see which outputs move."""
    changed = torch.zeros(3, 2, 3, 1, dtype=torch.bool)
    changed[1, 0, 1], changed[2, 1, 2] = True, True
    return {"runs": apart(parts, torch.where(changed, 40 * draw(2, 3, WIDTH), draw(2, 3, WIDTH)))}


def zero(parts, draw):
    """Normalize vectors of zeros, alone and beside another vector."""
    return {"alone": run(made(parts), torch.zeros(2, WIDTH)), "beside": run(made(parts), torch.cat([torch.zeros(1, WIDTH), draw(1, WIDTH)]))[0]}


def zero_grad(parts, draw):
    """Go backward through vectors of zeros, with an eps of 1e-5, and take the order of magnitude of the gradient."""
    slope = backward(made(parts, WIDTH, 1e-5), torch.zeros(2, WIDTH, requires_grad=True), draw(2, WIDTH))["x"]
    return {"magnitude": None if slope is None else slope.norm(dim=-1).log10()}


def eps_default(parts, draw):
    """Normalize vectors so small that the default eps matters."""
    return {"y": run(made(parts), SMALL * (draw(3, WIDTH) + 0.5))}


def eps_arg(parts, draw):
    """Normalize with an eps of 0.5, while another module keeps the default."""
    norm, _ = made(parts, WIDTH, 0.5), made(parts)
    return {"y": run(norm, torch.tensor([[1], [1], [0.4]]) * (draw(3, WIDTH) + 0.5))}


def large(parts, draw):
    """Normalize vectors up to a hundred million times as large."""
    return {"runs": apart(parts, torch.tensor([1.0, 2**8, 2**14, 2**27]).view(4, 1, 1) * away(draw(3, WIDTH)))}


def small(parts, draw):
    """Normalize vectors up to a million times as small, with an eps far below their squares."""
    return {"runs": apart(parts, torch.tensor([1, 2**-10, 2**-20]).view(3, 1, 1) * away(draw(3, WIDTH)), WIDTH, 1e-20)}


def double(parts, draw):
    """Normalize the same numbers in float32 and in float64, and look at the bytes that each output takes for a number."""
    x = draw(3, WIDTH)
    single, module = calm(made(parts), x), made(parts).double()
    wide = calm(module, x.double())
    module.float()  # in case it shares its numbers with later ones
    return {"runs": torch.stack([single.double(), wide]), "bytes": torch.tensor([[single.element_size() / 4], [wide.element_size() / 8]])}


def scale(parts, draw):
    """Give each coordinate a scale of its own and see by what each output is multiplied."""
    norm, x = made(parts), away(draw(3, WIDTH))
    plain = run(norm, x).detach()
    put_scale(norm, draw(WIDTH))
    return {"ratio": run(norm, x) / plain}


def scale_init(parts, draw):
    """Look at the lowest and the highest number of a new module's scale."""
    found = scale_of(parts.rmsnorm.RMSNorm(WIDTH))
    return {"lowest": found.min(), "highest": found.max()}


def params(parts, draw):
    """Count what is trained, and look at the shape of `scale`."""
    norm = parts.rmsnorm.RMSNorm(WIDTH)
    named = getattr(norm, "scale", None)
    trained = {"trained as scale": sum(p.numel() for p in norm.parameters() if p is named and p.requires_grad)}
    return {"shape": torch.tensor(getattr(named, "shape", ())), "all": sum(p.numel() for p in norm.parameters()), **trained}


def grads(parts, draw):
    """Go backward from a weighted sum of the outputs to the input and the scale."""
    norm, x = made(parts), (3 * draw(2, 3, WIDTH)).requires_grad_()
    put_scale(norm, 0.5 + draw(WIDTH).abs())
    return backward(norm, x, draw(2, 3, WIDTH), scale=scale_of(norm))


def stateless(parts, draw):
    """Normalize one batch, another one, and the first again; a new module sees only the other one."""
    used, new, x, other = made(parts), made(parts), SMALL * draw(2, 3, WIDTH), draw(2, 3, WIDTH)
    first, second, third = calm(used, x), calm(used, other), calm(used, x)
    return {"first": torch.stack([first, third]), "second": torch.stack([calm(new, other), second])}


def mode(parts, draw):
    """Normalize one batch in training mode and in eval mode, and go backward in both."""
    x, weight = (0.1 * draw(2, 3, WIDTH)).requires_grad_(), draw(2, 3, WIDTH)
    both = [made(parts).train(), made(parts).eval()]
    slopes = [backward(norm, x, weight)["x"] for norm in both]
    return {"y": torch.stack([run(norm, x) for norm in both]), "x": torch.stack([0 * x if slope is None else slope for slope in slopes])}


def sign(parts, draw):
    """Turn every sign of a batch and see whether every sign of the output turns."""
    factors = torch.tensor([1, -1]).view(2, 1, 1, 1)
    return {"runs": factors * apart(parts, factors * draw(2, 3, WIDTH))}


def layout(parts, draw):
    """Normalize one batch in three memory layouts."""
    x = draw(2, 3, WIDTH)
    return {"runs": apart(parts, [x, strided(x, 0, 1), strided(x, 1, 2)])}


def instances(parts, draw):
    """Change all numbers of one module and look at those of another."""
    one, other = (parts.rmsnorm.RMSNorm(WIDTH) for _ in range(2))
    before, _, after = everything(other), everything(one, 1.0), everything(other)
    return {"runs": torch.stack([before, after])}


def rule_own_work(sources, parts):
    """Count the uses of the library's RMSNorm in what the class RMSNorm is made of, and in one call of it."""
    read = library_uses(sources["rmsnorm"], "exercises/rmsnorm.py", "RMSNorm", LIBRARY)  # before any line of it has run
    return {"uses": read + library_calls(LIBRARY, lambda: made(parts)(torch.ones(2, WIDTH)))}


def made(parts, *arguments):
    """A new module whose scale is ones. One that starts at zeros and yet lets numbers through (1 + scale) keeps its zeros."""
    norm = parts.rmsnorm.RMSNorm(*(arguments or (WIDTH,)))
    with contextlib.suppress(NoSuchRoleError):
        numbers = scale_of(norm)
        if numbers.any() or not norm(torch.ones(1, numbers.numel())).any():
            put(numbers, torch.ones(()))
    return norm


def scale_of(norm):
    """The scale: `scale` itself, else the only tensor there is, else the only one whose name means it. Raises NoSuchRoleError."""
    found = getattr(norm, "scale", None)
    if isinstance(found, torch.Tensor):
        return found
    found = dict(norm.named_parameters()) or dict(norm.named_buffers()) or {k: v for k, v in vars(norm).items() if isinstance(v, torch.Tensor)}
    return next(iter(found.values())) if len(found) == 1 else match(found, {"scale": WORDS})["scale"]


def put_scale(norm, numbers):
    """Write one number for each coordinate. Raises NoSuchRoleError where the scale has room for another count of numbers."""
    if (found := scale_of(norm)).numel() != numbers.numel():
        raise NoSuchRoleError(f"a scale for each of {numbers.numel()} coordinates not found; found {found.numel()} number(s)")
    put(found, numbers.view(found.shape))


def everything(norm, step=0.0):
    """All numbers that a module keeps, in one row, after a step is added to each."""
    kept = [*norm.parameters(), *norm.buffers(), getattr(norm, "scale", None)]
    found = [numbers.detach() for numbers in kept if isinstance(numbers, torch.Tensor) and numbers.is_floating_point()]
    return torch.cat([torch.zeros(0), *(numbers.add_(step).flatten() for numbers in found)])


def apart(parts, inputs, *arguments):
    """The output for each input, from a new module each time, so that memory between calls is no matter here: [R, ...]."""
    return torch.stack([calm(made(parts, *arguments), x) for x in inputs])


def backward(norm, x, weight, **wanted):
    """Gradients of a weighted sum of the outputs by x and by other tensors, by name; None where none arrives."""
    with torch.enable_grad():
        return gradients((run(norm, x) * weight).sum(), {"x": x, **wanted})
