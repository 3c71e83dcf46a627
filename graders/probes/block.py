"""What is tried on the transformer block: each probe takes blocks as good as new, fills them with drawn numbers, and returns what comes out.

Unless a probe says otherwise, heads, eps and theta have their usual values, and the norms keep the scales they start with.
"""

import torch

from graders.probes.blocks import POOL, D, alike, build, built, filled, loud, one_branch, silence, sow, sums
from graders.probes.roles import branch, named, norms, projections, scale_of, write
from graders.probes.shared import gradients, put, run
from tiny_lm.model import ModelConfig

SMALL = 0.003  # squares near the usual eps, so that what a norm reads must have its right size
LOW, HIGH = 5066, 1480  # seeds whose first random number is near 0 and near 1, so that whatever happens at random shows


def structure(parts, draw):
    """List the parameters by name and shape."""
    block = build(parts)
    known = named(block)
    known_ids = {id(value) for value in known.values()}
    others = {name[:60]: value for name, value in block.named_parameters() if id(value) not in known_ids}
    shown = list({**known, **others}.items())[:40]
    # The feed-forward branch's inner width counts in cfg_d_ff.
    return {name: torch.tensor([value.ndim] if name.startswith("ffn.") else value.shape) for name, value in shown}


def parameters(parts, draw):
    """Look at the parameters of one block while those of another change."""
    one, other = (built(parts, ModelConfig(d_model=D, d_ff=40)) for _ in range(2))
    alike(other, draw(POOL))
    before, sizes = sums(other), [(value.numel(), value.requires_grad) for value in other.parameters()]
    for value in one.parameters():
        put(value, value + 1)
    matrices = sorted(value.shape for value in branch(other, "ffn").parameters() if value.ndim == 2)
    share = sum(size * on for size, on in sizes) / max(sum(size for size, _ in sizes), 1)
    return {"trained": share, "ffn": torch.tensor(matrices), "runs": torch.stack([before, sums(other)])}


def call(parts, draw):
    """Call a block, and look at the input and the config afterwards."""
    config, x = ModelConfig(64, 2, 96, 1e-4, 5000.0), draw(1, 3, 64)
    with torch.no_grad():
        y = parts.block.TransformerBlock(config)(x)
    fields = (config.d_model, config.n_heads, config.d_ff, config.norm_eps, config.rope_theta)
    kept = torch.tensor([float(field) for field in fields], dtype=torch.float64)
    return {"y": y if isinstance(y, torch.Tensor) else None, "x": x, "config": kept}


def value(parts, draw):
    """Send two texts through a block, and one with numbers around 300."""
    y = output(filled(parts, draw, d_model=64, d_ff=128), draw(3, 5, 64) * torch.tensor([1.0, 1.0, 300.0])[:, None, None])
    return {"y": y[:2], "big": y[2:]}


def scales(parts, draw):
    """Give the two norms scales of their own."""
    block = filled(parts, draw)
    for norm in norms(block):
        write(scale_of(norm), 1 + 0.5 * draw(D))
    y = output(block, draw(2, 5, D) * torch.tensor([1.0, SMALL])[:, None, None])
    return {"y": y, "second": output(silence(block, "attention"), SMALL * draw(1, 5, D))}


def identity(parts, draw):
    """Silence both branches."""
    return {"y": output(silence(build(parts), "attention", "ffn"), 2 * draw(2, 3, D))}


def attention_only(parts, draw):
    """Silence the feed-forward branch."""
    return {"y": output(one_branch(parts, draw, "attention"), 2 * draw(2, 5, D))}


def ffn_only(parts, draw):
    """Silence the attention branch."""
    return {"y": output(one_branch(parts, draw, "ffn"), 2 * draw(2, 5, D))}


def cfg_eps(parts, draw):
    """Build a block with a norm_eps of 2, and call its norms."""
    x = draw(1, 5, D)
    first, second = norms(build(parts, norm_eps=2.0))
    return {"norm1": output(first, x), "norm2": output(second, x)}


def cfg_theta(parts, draw):
    """Build a block with a rope_theta of 20, and call its attention."""
    return {"y": output(branch(filled(parts, draw, ("attention",), rope_theta=20.0), "attention"), draw(1, 6, D))}


def cfg_heads(parts, draw):
    """Build a block with four heads, and call its attention."""
    return {"y": output(branch(filled(parts, draw, ("attention",), n_heads=4), "attention"), draw(1, 6, D))}


def grads(parts, draw):
    """Go backward to the input and to every parameter."""
    block, x, weights = filled(parts, draw), draw(2, 4, D).requires_grad_(), draw(2, 4, D)
    first, second = norms(block)
    wanted = {**projections(block, "attention"), **projections(block, "ffn"), "norm1.scale": scale_of(first), "norm2.scale": scale_of(second)}
    found = gradients((still(block, x) * weights).sum(), {"x": x, **wanted})
    return {role: grad if grad is None else loud(role, grad) for role, grad in found.items()}


def causal(parts, draw):
    """Change the last two tokens, and see which outputs move."""
    block, x, other = alike(build(parts), draw(POOL)), draw(2, 4, D), draw(2, 2, D)
    return {"y": torch.stack([output(block, x), output(block, torch.cat([x[:, :2], 10 * other], 1))])}


def stateless(parts, draw):
    """Read one text with a new block, and with one that has read others."""
    pool, x, longer, other = draw(POOL), draw(2, 3, D), draw(2, 4, D), draw(2, 3, D)
    first, used = (alike(built(parts, ModelConfig(d_model=D, d_ff=24)), pool) for _ in range(2))
    output(used, longer), output(used, other)
    return {"y": torch.stack([output(first, x), output(used, x)])}


def mode(parts, draw):
    """Read one text in training mode and in eval mode."""
    block, x, outputs = alike(build(parts), draw(POOL)), draw(2, 3, D), []
    for training, seed in ((True, LOW), (True, HIGH), (False, LOW)):
        sow(seed)
        outputs.append(run(block.train(training), x))
    return {"y": torch.stack([y.detach() for y in outputs]), "graph": torch.tensor([[float(y.requires_grad)] for y in outputs])}


def output(block, x):
    """What comes out for a copy of x, without the record that going backward needs: that saves a quarter of the time."""
    with torch.no_grad():
        return still(block, x)


def still(block, x):
    """What comes out for a copy of x, in evaluation mode if the block uses random numbers: only `mode` is about those."""
    before = torch.default_generator.get_state()
    y = run(block, x)
    return y if torch.equal(before, torch.default_generator.get_state()) else run(block.eval(), x)
