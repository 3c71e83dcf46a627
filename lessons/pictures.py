"""Draw what happened to the three stacks: loss by step, gradient and size by depth. In: arms (see digits.py). Out: a matplotlib figure.

Colours that a colour-blind reader can tell apart (Okabe and Ito), and a line style and a marker for each as well.
Needs matplotlib: `pip install matplotlib`.
"""

import math

from matplotlib.figure import Figure

from lessons.digits import ARMS, GUESSING

LOOKS = {
    "plain": {"color": "#0072B2", "linestyle": "--", "marker": "s"},
    "residual": {"color": "#D55E00", "linestyle": ":", "marker": "^"},
    "residual, pre-norm": {"color": "#009E73", "linestyle": "-", "marker": "o"},
}


def draw(arms, title):
    """Three panels side by side and one legend below."""
    figure = Figure(figsize=(13, 5), layout="constrained")
    figure.suptitle(title, fontsize=15)
    losses, gradients, sizes = figure.subplots(1, 3)
    draw_losses(losses, arms)
    draw_depth(gradients, arms, "gradients", "Gradient by depth\n(before the first step)", "length of the loss's gradient (log scale)")
    draw_depth(sizes, arms, "sizes", "Size of the stream by depth\n(before the first step)", "root mean square (log scale)")
    handles, labels = losses.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, fontsize=12, frameon=False)
    return figure


def draw_losses(axes, arms):
    """Loss of each batch. What leaves the panel or stops being a number is told in words at the place where it happens."""
    top = ceiling(arms)
    for arm in arms:
        steps = range(1, len(arm.losses) + 1)
        axes.plot(steps, arm.losses, label=f"{arm.name}: {ARMS[arm.name]}", markevery=max(1, len(arm.losses) // 12), **LOOKS[arm.name])
    axes.axhline(GUESSING, color="0.35", linewidth=1, label="guessing: ln 10")
    axes.set(title="Loss while training\n(each batch)", xlabel="step", ylabel="loss", ylim=(0, top))
    axes.grid(alpha=0.3)
    for place, arm in enumerate(arm for arm in arms if arm.broken_at):
        tell_broken(axes, arm, 0.86 - 0.26 * place)


def ceiling(arms):
    """The top of the panel: room for all losses of stacks that hold, and for the first loss of the others where it is not far off."""
    held = max((loss for arm in arms if not arm.broken_at for loss in arm.losses), default=4.0)
    first = max((arm.losses[0] for arm in arms if math.isfinite(arm.losses[0])), default=held)
    return 1.2 * max(held, min(first, 3 * held))


def tell_broken(axes, arm, height):
    """A cross at the top where the loss stops being a number, a dropped line, and the same in words. `height` is a share of the panel's."""
    colour = LOOKS[arm.name]["color"]
    finite = [loss for loss in arm.losses if math.isfinite(loss)]
    reached = f"{max(finite):.1e} at step {arm.losses.index(max(finite)) + 1},\n" if finite else ""
    words = f"{arm.name}:\n{reached}{arm.losses[arm.broken_at - 1]:.0f} from step {arm.broken_at} on"
    axes.axvline(arm.broken_at, color=colour, linestyle=":", linewidth=1)
    mark(axes, arm.name, arm.broken_at, 0.97)
    box = {"facecolor": "white", "edgecolor": colour}
    axes.text(0.3, height, words, transform=axes.transAxes, va="center", fontsize=11, bbox=box)


def draw_depth(axes, arms, what, title, label):
    """One number for each depth on a logarithmic axis. What such an axis cannot show is marked at its edge and named."""
    axes.set_yscale("log")
    for arm in arms:
        values = getattr(arm, what)
        axes.plot(range(len(values)), values, markevery=max(1, len(values) // 10), **LOOKS[arm.name])
        if 0 in values:
            depth = len(values) - 1 - values[::-1].index(0)
            mark(axes, arm.name, depth, 0.03, f"{arm.name}: 0  ")
        broken = next((depth for depth, value in enumerate(values) if not math.isfinite(value)), None)
        if broken is not None:
            mark(axes, arm.name, broken, 0.97, f"{arm.name}: {values[broken]:.0f}  ")
    axes.set(title=title, xlabel="blocks passed", ylabel=label)
    axes.grid(alpha=0.3)


def mark(axes, name, x, height, words=""):
    """A cross in a stack's colour at x, at a share of the panel's height, with words on its left."""
    where = axes.get_xaxis_transform()
    axes.plot([x], [height], "x", transform=where, color=LOOKS[name]["color"], markersize=11, markeredgewidth=3)
    axes.text(x, height, words, transform=where, ha="right", va="center", fontsize=11)
