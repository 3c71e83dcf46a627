"""What is tried on a student's own machine, so that a release can say which known mistake a part behaves like.

A release holds this file as exercises/_visible.py: the inputs are no secret, and no check with points reads these numbers. `PART_name`
tries the part. Inputs and weights come from a sine, so that they are the same with every torch on every machine.
"""

import torch

from tiny_lm.model import ModelConfig


def rmsnorm_lone(parts, draw):
    """Vectors alone."""
    norm = parts.rmsnorm.RMSNorm
    return {"two": norm(2)(torch.tensor([3.0, 4.0])), "five": norm(5)(10 * _wave(5)), "zeros": norm(2)(torch.zeros(2))}


def rmsnorm_cube(parts, draw):
    """Three axes of one length, so that a wrong axis still gives numbers."""
    return {"y": parts.rmsnorm.RMSNorm(3)(5 * _wave(3, 3, 3))}


def rmsnorm_batch(parts, draw):
    """Axes of three lengths, twice, and the input afterwards."""
    norm, x = parts.rmsnorm.RMSNorm(4), 5 * _wave(2, 3, 4)
    return {"y": norm(x), "again": norm(x), "x": x}


def rmsnorm_sizes(parts, draw):
    """Vectors from zero to very large, and another eps."""
    return {"y": parts.rmsnorm.RMSNorm(3)(_sizes(0, 1e-3, 3e-2, 1, 1e4) * _wave(5, 3)), "eps": parts.rmsnorm.RMSNorm(3, 3.0)(_wave(2, 3))}


def rmsnorm_scale(parts, draw):
    """A scale as it starts, and one that was trained, with the way back."""
    new, norm, x = parts.rmsnorm.RMSNorm(3), _filled(parts.rmsnorm.RMSNorm(3)), (5 * _wave(2, 3)).requires_grad_()
    y = norm(x)
    return {"trained": _trained(new), "start": new.scale, "y": y, **_back(y, x=x, scale=norm.scale)}


def attention_square(parts, draw):
    """As many positions as coordinates, so that a wrong axis still gives numbers; and a lone position."""
    attention = _filled(parts.attention.CausalSelfAttention(4, 2))
    return {"y": attention(2 * _wave(1, 4, 4)), "lone": attention(_wave(1, 1, 4))}


def attention_batch(parts, draw):
    """Two texts, one head and four heads, and another theta."""
    one, four, theta = (_filled(parts.attention.CausalSelfAttention(*sizes)) for sizes in ((4, 1), (8, 4), (4, 1, 10.0)))
    return {"one": one(_wave(2, 3, 4)), "four": four(_wave(1, 3, 8)), "theta": theta(2 * _wave(1, 5, 4))}


def attention_low(parts, draw):
    """Scores so low that what is hidden must be lower still."""
    attention = _filled(parts.attention.CausalSelfAttention(8, 1))
    attention.k_proj.weight.data = -attention.q_proj.weight.data
    return {"y": attention(4 + 1.2 * _wave(1, 3, 8))}


def attention_again(parts, draw):
    """What is trained; a shorter text behind a longer one, after another module was filled; and the input afterwards."""
    attention, x = _filled(parts.attention.CausalSelfAttention(4, 2)), 2 * _wave(1, 3, 4)
    _filled(parts.attention.CausalSelfAttention(4, 2), 0.3)
    attention(_wave(1, 5, 4))
    return {"trained": _trained(attention), "y": attention(x), "x": x}


def attention_back(parts, draw):
    """The way back to the projections."""
    attention, x = _filled(parts.attention.CausalSelfAttention(4, 2)), (2 * _wave(1, 3, 4)).requires_grad_()
    return _back(attention(x), x=x, q=attention.q_proj.weight, k=attention.k_proj.weight, v=attention.v_proj.weight, out=attention.out_proj.weight)


def block_text(parts, draw):
    """Two texts, one of them loud, twice, and the input afterwards."""
    block, x = _block(parts), _sizes(1, 100, axes=2) * _wave(2, 3, 4)
    return {"first": block(0.5 * x), "y": block(x), "x": x}


def block_silent(parts, draw):
    """One branch silent, then the other, then both."""
    silent = {"attention": ["attention.out_proj"], "ffn": ["ffn.down_proj"], "both": ["attention.out_proj", "ffn.down_proj"]}
    return {name: _silenced(_block(parts), layers)(3 * _wave(1, 3, 4)) for name, layers in silent.items()}


def block_back(parts, draw):
    """The way back to the input, the norms and the branches."""
    block, x = _block(parts), _wave(1, 3, 4).requires_grad_()
    branches = {"out": block.attention.out_proj.weight, "down": block.ffn.down_proj.weight}
    return _back(block(x), x=x, first=block.norm1.scale, second=block.norm2.scale, **branches)


def block_config(parts, draw):
    """The pieces that a config asks for."""
    block = parts.block.TransformerBlock(ModelConfig(8, 2, 24, 0.5, 100.0))
    sizes = [block.norm1.eps, block.norm2.eps, block.attention.theta, block.attention.heads, *block.ffn.gate_proj.weight.shape]
    return {"sizes": torch.tensor([float(size) for size in sizes]), "trained": _trained(block)}


def answers_first(parts, draw):
    """The number of the first question."""
    return {"number": torch.tensor(float(parts.answers.q1_rms_scaled))}


def answers_shifted(parts, draw):
    """The number of the second one."""
    return {"number": torch.tensor(float(parts.answers.q1_rms_shifted))}


def answers_branch(parts, draw):
    """The branch alone."""
    return {"y": parts.answers.q2_branch(torch.tensor([[3.0, -4.0]]))}


def residual_plain(parts, draw):
    """A layer without a direct path."""
    return {"y": _filled(parts.residual.PlainBlock(4))(_wave(2, 3, 4))}


def residual_block(parts, draw):
    """A layer beside a direct path, without a norm and with one."""
    block = parts.residual.ResidualBlock
    return {"y": _filled(block(4))(_wave(2, 3, 4)), "prenorm": _filled(block(4, prenorm=True))(5 * _wave(2, 3, 4))}


def residual_depth(parts, draw):
    """The way back through five layers of each kind."""
    return {kind.__name__: _slope(kind) for kind in (parts.residual.PlainBlock, parts.residual.ResidualBlock)}


def residual_rescaled(parts, draw):
    """Branches of two layers, sixteen and nine of them."""
    return {f"{name} of {count}": one for count in (9, 16) for name, one in _rescaled(parts, count).items()}


def residual_stream(parts, draw):
    """Three blocks that each add something else."""
    update = _wave(2, 3)
    stream, writes = parts.residual.residual_stream([lambda x: x + update, lambda x: 2 * x, lambda x: x - 3], 4 + _wave(2, 3))
    return {"stream": stream, "writes": writes}


def _wave(*shape, start=0.3):
    """Numbers from -1 to 1 that follow no pattern of rows or columns."""
    return torch.sin(start + 1.7 * torch.arange(torch.Size(shape).numel(), dtype=torch.float64)).float().view(shape)


def _sizes(*factors, axes=1):
    return torch.tensor(factors).view(-1, *[1] * axes)


def _filled(module, gain=0.8):
    """The module with numbers of our own in every parameter, by its name; those of one axis lie around 1."""
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            parameter.copy_(gain * _wave(*parameter.shape, start=sum(map(ord, name))) + (parameter.dim() == 1))
    torch.manual_seed(torch.initial_seed())  # so that the first thing left to chance sees the seed's first number
    return module


def _trained(module):
    """How many parameters there are, how many numbers they hold, and how many of these are trained."""
    sizes = [(parameter.numel(), parameter.requires_grad) for parameter in module.parameters()]
    return torch.tensor([len(sizes), sum(size for size, _ in sizes), sum(size * on for size, on in sizes)])


def _back(y, **wanted):
    """The gradient of a weighted sum of y by each wanted tensor; None where none arrives."""
    reached = {name: tensor for name, tensor in wanted.items() if tensor.requires_grad and y.requires_grad}
    slopes = torch.autograd.grad((y * _wave(*y.shape, start=1.0)).sum(), list(reached.values()), allow_unused=True) if reached else ()
    return {f"to {name}": slope for name, slope in {**dict.fromkeys(wanted), **dict(zip(reached, slopes, strict=True))}.items()}


def _block(parts):
    return _filled(parts.block.TransformerBlock(ModelConfig(4, 1, 6)))


def _silenced(block, layers):
    for layer in layers:
        torch.nn.init.zeros_(block.get_submodule(layer).weight)
    return block


def _slope(kind):
    block, x = _filled(kind(1)), torch.ones(1, requires_grad=True)
    y = x
    for _ in range(5):
        y = block(y)
    return torch.autograd.grad(y, x)[0]


def _rescaled(parts, count):
    branches = [torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 2)) for _ in range(count)]
    held = [_filled(branch)[2].weight for branch in branches]
    parts.residual.rescale_branches(branches)
    first, last = branches[0], branches[-1]
    return {"first": first[2].weight, "last": last[2].weight, "held": held[-1], "bias": last[2].bias, "earlier": last[0].weight}
