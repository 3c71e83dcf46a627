"""What is tried on the second lesson's blocks, and on its two tools for a stack of them.

Each probe builds fresh blocks and fills them with drawn numbers; biases are zero unless a probe says otherwise.
The tools are tried on stacks made here, so that they earn their points whatever the blocks are like.
"""

import torch
from torch import nn

from graders.probes.shared import NoSuchRoleError, gradients, put, run
from graders.probes.stacks import Bent, flat, lent, parameters, reached, rescaled, together

D, LAYERS = 6, 20


def plain(parts, draw):
    """Send a batch through a plain block, with a bias."""
    return {"y": output(loaded(parts.residual.PlainBlock(D), draw(D, D), draw(D)), draw(4, D))}


def residual(parts, draw):
    """Send a batch through a residual block without a norm."""
    return {"y": output(loaded(parts.residual.ResidualBlock(D, False), draw(D, D)), draw(4, D))}


def prenorm(parts, draw):
    """Send a batch with numbers around 5 through a residual block with pre-norm."""
    return {"y": output(loaded(parts.residual.ResidualBlock(D, True), draw(D, D)), 5 + 2 * draw(4, D))}


def norm_trained(parts, draw):
    """Give the norm of a residual block another shift, then another scale, and see whether the outputs react."""
    block, x = loaded(parts.residual.ResidualBlock(D, True), draw(D, D)), 5 + draw(4, D)
    vectors, outputs = beside(block), [output(block, x)]
    with lent(vectors):
        for value in vectors:
            put(value, value + 1 + draw(D).abs())
            outputs.append(output(block, x))
    return {"y": torch.stack(outputs)}


def silent(parts, draw):
    """Silence the branch of a residual block, without a norm and with pre-norm, so that only the direct path is left."""
    blocks, x = [loaded(parts.residual.ResidualBlock(D, on), torch.zeros(D, D)) for on in (False, True)], 3 * draw(4, D)
    return {"y": torch.stack([output(block, x) for block in blocks])}


def standardized(parts, draw):
    """Send x, 10x and x + 5 through a block with pre-norm, and look at what is added to each."""
    block, x = loaded(parts.residual.ResidualBlock(D, True), draw(D, D)), 3 * draw(4, D)
    return {"added": torch.stack([output(block, each) - each for each in (x, 10 * x, x + 5)])}


def default(parts, draw):
    """Build a residual block without a word about pre-norm, and one with the word prenorm."""
    weight, x, kind = draw(D, D), 3 * draw(4, D), parts.residual.ResidualBlock
    pairs = {"without": (kind(D, False), kind(D)), "with": (kind(D, True), kind(D, prenorm=True))}
    return {name: torch.stack([output(loaded(block, weight), x) for block in pair]) for name, pair in pairs.items()}


def grad_plain(parts, draw):
    """Go backward through twenty plain blocks, whose factors are around 0.05, to the input."""
    return backward(parts.residual.PlainBlock(D), draw)


def grad_residual(parts, draw):
    """Go backward through twenty residual blocks, whose branches have factors around 0.05, to the input."""
    return backward(parts.residual.ResidualBlock(D, False), draw)


def grad_prenorm(parts, draw):
    """Go backward through twenty residual blocks with pre-norm, whose branches have factors around 0.05, to the input."""
    return backward(parts.residual.ResidualBlock(D, True), draw, torch.ones(D))


def grad_weights(parts, draw):
    """Go backward through a residual block with pre-norm, and see whether a gradient reaches the linear layer and the norm."""
    block = loaded(parts.residual.ResidualBlock(D, True), draw(D, D), torch.ones(D))
    wanted = {"lin": list(linear(block).parameters()), "norm": beside(block)}
    return reached((run(block, draw(4, D)) * draw(4, D)).sum(), wanted)


def structure(parts, draw):
    """List the parameters of each kind of block by name and shape, and whether they are trained."""
    named = [(f"{kind} {name}"[:60], value) for kind, block in fresh(parts).items() for name, value in list(block.named_parameters())[:12]]
    return {name: torch.tensor([*value.shape, value.requires_grad]) for name, value in named}


def shape(parts, draw):
    """Send one vector, a batch of vectors and a batch of texts through each kind of block."""
    inputs = {"[D]": draw(D), "[B, D]": draw(3, D), "[B, T, D]": draw(2, 3, D)}
    return {f"{kind}, {axes}": output(block, x) for kind, block in kinds(parts).items() for axes, x in inputs.items()}


def no_mutation(parts, draw):
    """Call each kind of block, then look at the input it was given."""
    x = {kind: draw(4, D) for kind in ("plain", "residual", "prenorm")}
    with torch.no_grad():
        for kind, block in kinds(parts).items():
            block(x[kind])
    return x


def alone(parts, draw):
    """Change the other vectors of a batch, and look at the first one's output."""
    block, x = loaded(parts.residual.ResidualBlock(D, True), draw(D, D)), draw(2, 3, D)
    near, far = torch.cat([x[:1, :1], 9 * draw(1, 2, D)], 1), 9 * draw(1, 3, D)
    return {"first": torch.stack([output(block, each)[0, 0] for each in (x, torch.cat([near, x[1:]]), torch.cat([x[:1], far]))])}


def mode(parts, draw):
    """Send one batch through each kind of block in training mode, twice, and in evaluation mode."""
    blocks, x = kinds(parts).values(), draw(16, D)
    return {"y": torch.stack([torch.stack([output(block.train(training), x) for block in blocks]) for training in (True, True, False)])}


def instances(parts, draw):
    """Change every number of one block, and look at another one."""
    ones, others = list(kinds(parts).values()), list(kinds(parts).values())
    before, changed = flat(parameters(others)).T, list(dict.fromkeys(parameters(ones)))
    with lent(changed):
        for value in changed:
            put(value, value + 1)
        return {"numbers": torch.cat([before, flat(parameters(others)).T])}


def rescale(parts, draw):
    """Rescale a stack of two branches and one of three; a branch is a norm, a linear layer, a ReLU and a linear layer."""
    stacks = [[nn.Sequential(nn.LayerNorm(3), nn.Linear(3, 2), nn.ReLU(), nn.Linear(2, 3)) for _ in range(count)] for count in (2, 3)]
    seen = [rescaled(parts.residual.rescale_branches, draw, stack, [branch[-1].weight for branch in stack]) for stack in stacks]
    relations = {key: torch.cat([each[key] for each in seen], 1) for key in ("others", "held")}
    return {**{f"last of {len(stack)}": each["last"][1] for stack, each in zip(stacks, seen, strict=True)}, **relations}


def rescale_nested(parts, draw):
    """Rescale a lone linear layer, one inside other modules with a dropout behind it, and one beside a norm."""
    lone, last, beside = nn.Linear(3, 3), nn.Linear(2, 3), nn.ModuleDict({"lin": nn.Linear(3, 3), "norm": nn.LayerNorm(3)})
    deep = nn.Sequential(nn.LayerNorm(3), nn.Sequential(nn.Linear(3, 2), nn.GELU(), nn.Sequential(last, nn.Dropout(0.1))))
    return rescaled(parts.residual.rescale_branches, draw, [lone, deep, beside], [lone.weight, last.weight, beside["lin"].weight])


def stream(parts, draw):
    """Send two texts through five blocks, and look at the stream after each block and at what each block wrote."""
    blocks, x = [Bent(draw(D, D) / D**0.5) for _ in range(5)], draw(2, 3, D)
    after, writes = parts.residual.residual_stream(blocks, x)
    return {"after": together(after), "writes": together(writes), "x": x}


def kinds(parts):
    """A fresh block of each kind, each with one linear layer: a module that does nothing keeps every promise. Raises NoSuchRoleError."""
    blocks = fresh(parts)
    for block in blocks.values():
        linear(block)
    return blocks


def fresh(parts):
    """A block of each kind in evaluation mode, with the numbers it starts with; blocks made at other times start alike."""
    torch.default_generator.manual_seed(0)
    part = parts.residual
    blocks = {"plain": part.PlainBlock(D), "residual": part.ResidualBlock(D, False), "prenorm": part.ResidualBlock(D, True)}
    return {kind: block.eval() for kind, block in blocks.items()}


def output(block, x):
    """What comes out for a copy of x, without the record that going backward needs."""
    with torch.no_grad():
        return run(block, x)


def linear(block):
    """The module that holds the one matrix of a block, whatever it is called. Raises NoSuchRoleError."""
    holders = [module for module in block.modules() for value in module.parameters(recurse=False) if value.ndim == 2]
    if len(holders) != 1:
        raise NoSuchRoleError(f"lin was looked for: one module with a matrix; found {len(holders)} matrices")
    return holders[0]


def beside(block):
    """The parameters of a block that are not those of its linear layer."""
    return [value for value in block.parameters() if all(value is not own for own in linear(block).parameters())]


def loaded(block, weight, bias=None):
    """The block in evaluation mode with these numbers in its linear layer: [D, D], and [D] or zeros."""
    for value in linear(block).parameters(recurse=False):
        put(value, weight if value.ndim == 2 else torch.zeros(D) if bias is None else bias)
    return block.eval()


def backward(block, draw, bias=None):
    """The gradient of a weighted sum by the input, twenty times through a block whose ReLUs are all open: [3, D], and by depth its largest number."""
    loaded(block, 0.05 * torch.eye(D) + 0.005 * draw(D, D).abs(), bias)
    stream = [draw(3, D).abs().requires_grad_()]
    for _ in range(LAYERS):
        stream.append(run(block, stream[-1]))
    found = list(gradients((stream[-1] * draw(3, D)).sum(), dict(enumerate(stream))).values())
    return {"x": found[0], "path": torch.stack([torch.zeros(()) if grad is None else grad.abs().max() for grad in found])}
