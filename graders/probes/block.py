"""What is tried on the transformer block: each probe builds fresh blocks, fills them with drawn numbers, and returns what comes out.

Unless a probe says otherwise, heads, eps and theta have their usual values, the norms keep the scales they start with, and nothing
is dropped at random, for the block is in evaluation mode.
"""

import copy
import random

import torch

from graders.probes.roles import NAMES, branch, norm_scales, projections
from graders.probes.shared import NoSuchRole, gradients, put, run, runs
from tiny_lm.model import ModelConfig

D, UNITS = 16, 8  # width of a block; how many hidden units of its feed-forward branch get numbers, while the others stay silent
LOW, HIGH = 5066, 1480  # seeds whose first random number is near 0 and near 1, so that whatever happens at random shows


def structure(parts, draw):
    """List the parameters by name and shape (the feed-forward branch's inner width counts elsewhere)."""
    every = dict(build(parts, d_model=64, d_ff=128).named_parameters(remove_duplicate=False))
    known = {id(value) for name, value in every.items() if name in NAMES}
    shown = [(name, value) for name, value in every.items() if name in NAMES or id(value) not in known]
    return {name[:60]: torch.tensor([value.ndim] if name.startswith("ffn.") else value.shape) for name, value in shown[:40]}


def parameters(parts, draw):
    """Look at the parameters of a block: how many of their numbers can be trained, and the shapes in the feed-forward branch."""
    block = build(parts, d_ff=40)
    sizes = [(value.numel(), value.requires_grad) for value in block.parameters()]
    matrices = sorted(value.shape for value in branch(block, "ffn").parameters() if value.ndim == 2)
    return {"trained": sum(size * on for size, on in sizes) / max(sum(size for size, _ in sizes), 1), "ffn": torch.tensor(matrices)}


def shape(parts, draw):
    """Send one text of three tokens and two texts of one token through a block."""
    return {"three": run(build(parts, d_model=64, d_ff=128), draw(1, 3, 64)), "two": run(build(parts), draw(2, 1, D))}


def no_mutation(parts, draw):
    """Call a block, then look at the input and at the config it was given."""
    config, x = ModelConfig(D, 2, 24, 1e-4, 5000.0), draw(2, 3, D)
    parts.block.TransformerBlock(config)(x)
    fields = (config.d_model, config.n_heads, config.d_ff, config.norm_eps, config.rope_theta)
    return {"x": x, "config": torch.tensor([float(field) for field in fields], dtype=torch.float64)}


def value(parts, draw):
    """Send two texts of five tokens through a block."""
    return {"y": run(filled(parts, draw, d_model=64, d_ff=128), draw(2, 5, 64))}


def scales(parts, draw):
    """Give the two norms scales of their own."""
    block = filled(parts, draw)
    for scale in norm_scales(block):
        write(scale, 1 + 0.5 * draw(D))
    return {"y": run(block, draw(2, 5, D))}


def big_input(parts, draw):
    """Send numbers around 300 through a block."""
    return {"y": run(filled(parts, draw), 300 * draw(2, 5, D))}


def identity(parts, draw):
    """Silence both branches, so that only the direct path is left."""
    return {"y": run(silence(build(parts), "attention", "ffn"), 2 * draw(2, 3, D))}


def attention_only(parts, draw):
    """Silence the feed-forward branch."""
    return {"y": run(one_branch(parts, draw, "attention"), 2 * draw(2, 5, D))}


def ffn_only(parts, draw):
    """Silence the attention branch."""
    return {"y": run(one_branch(parts, draw, "ffn"), 2 * draw(2, 5, D))}


def cfg_eps(parts, draw):
    """Build blocks with a norm_eps of 2, and silence one branch at a time."""
    x = draw(1, 5, D)
    return {name: run(one_branch(parts, draw, name, norm_eps=2.0), x) for name in ("attention", "ffn")}


def cfg_theta(parts, draw):
    """Build a block with a rope_theta of 20; its feed-forward branch is silent."""
    return {"y": run(one_branch(parts, draw, "attention", rope_theta=20.0), draw(1, 6, D))}


def cfg_heads(parts, draw):
    """Build a block with four heads; its feed-forward branch is silent."""
    return {"y": run(one_branch(parts, draw, "attention", n_heads=4), draw(1, 6, D))}


def grads(parts, draw):
    """Go backward from a weighted sum of the outputs to the input and to the parameters."""
    block, x, weights = filled(parts, draw).train(), draw(2, 4, D).requires_grad_(), draw(2, 4, D)
    norms = dict(zip(("norm1.scale", "norm2.scale"), norm_scales(block), strict=True))
    wanted = {**projections(block, "attention"), **projections(block, "ffn"), **norms}
    found = gradients((run(block, x) * weights).sum(), {"x": x, **wanted})
    return {role: grad if grad is None else loud(role, grad) for role, grad in found.items()}


def causal(parts, draw):
    """Change later tokens, the last one a little and all but the first a lot, and look at the earlier outputs."""
    x, other = draw(1, 4, D), draw(1, 4, D)
    last, most = torch.cat([x[:, :3], other[:, 3:]], 1), torch.cat([x[:, :1], 40 * other[:, 1:]], 1)
    return {"y": runs(build(parts), [x, last, most])}


def stateless(parts, draw):
    """Send one input through a block that has seen nothing yet, and through one that has seen others."""
    fresh, x, other, longer = build(parts), draw(2, 3, D), draw(2, 3, D), draw(2, 4, D)
    used = copy.deepcopy(fresh)
    first, _, second, _, third = (run(module, z).detach() for module, z in ((fresh, x), (used, other), (used, x), (used, longer), (used, x)))
    return {"y": torch.stack([first, second, third])}


def mode(parts, draw):
    """Send one input through a block in training and in evaluation mode, and see whether a gradient could flow."""
    block, x, outputs = build(parts).train(), draw(2, 3, D), []
    run(block, draw(2, 3, D))
    for training, seed in ((True, LOW), (True, HIGH), (False, LOW)):
        torch.default_generator.manual_seed(seed)
        random.seed(seed)
        outputs.append(run(block.train(training), x))
    return {"y": torch.stack([y.detach() for y in outputs]), "graph": torch.tensor([[float(y.requires_grad)] for y in outputs])}


def instances(parts, draw):
    """Change every number of one block, and send an input through another."""
    one, two, x = build(parts), build(parts), draw(2, 3, D)
    before = tensor(run(two, x))
    for parameter in one.parameters():
        put(parameter, parameter + 1)
    return {"y": torch.stack([before, tensor(run(two, x))])}


def build(parts, d_model=D, d_ff=24, **fields):
    """A block with the numbers it starts with, in evaluation mode."""
    return parts.block.TransformerBlock(ModelConfig(d_model=d_model, d_ff=d_ff, **fields)).eval()


def filled(parts, draw, branches=("attention", "ffn"), d_model=D, **fields):
    """A block with drawn numbers in some of its branches, such that a branch gives about as much as it reads."""
    block = build(parts, d_model, **fields)
    for name in branches:
        for role, weight in projections(block, name).items():
            rows = UNITS if role in ("gate_proj.weight", "up_proj.weight") else d_model
            columns = UNITS if role == "down_proj.weight" else d_model
            put(weight, torch.zeros_like(weight))
            write(loud(role, weight), draw(rows, columns) * (1.5 / columns**0.5))
    return block


def one_branch(parts, draw, name, **fields):
    """A block with drawn numbers in one branch; the other branch is silent."""
    return silence(filled(parts, draw, (name,), **fields), "ffn" if name == "attention" else "attention")


def silence(block, *names):
    """Put zeros into all parameters of these branches."""
    for name in names:
        for parameter in branch(block, name).parameters():
            put(parameter, torch.zeros_like(parameter))
    return block


def loud(role, weight):
    """The part of a matrix that gets numbers: in the feed-forward branch that of the first hidden units, so that their count matters little."""
    if role == "down_proj.weight":
        return weight[:, :UNITS]
    return weight[:UNITS] if role in ("gate_proj.weight", "up_proj.weight") else weight


def write(target, numbers):
    """Write numbers into a parameter of the same shape. Raises NoSuchRole where its shape is another one."""
    if target.shape != numbers.shape:
        raise NoSuchRole(f"a parameter of the shape {list(numbers.shape)} was looked for, but one of {list(target.shape)} was found")
    put(target, numbers)


def tensor(output):
    """The numbers of an output, or of the first of several outputs."""
    return (output[0] if isinstance(output, tuple | list) else output).detach()
