"""The layers of the wall by name: what is lost without each, and how to get it. In one place for reports, refusals and the doctor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from graders.model import KitError


@dataclass(frozen=True)
class Kind:
    """One layer: its name in the worker's words, what it does, and what to do where it is missing."""

    name: str
    does: str
    remedy: str


KINDS = (
    Kind("view", "a read-only view of the disk without the kit's answers, other submissions and home directories", "apt install bubblewrap"),
    Kind(
        "namespaces",
        "own users, processes, network, ipc and mounts",
        "allow user namespaces: `sysctl -w user.max_user_namespaces=10000 kernel.apparmor_restrict_unprivileged_userns=0` (the second on Ubuntu), "
        "or run the container with --security-opt seccomp=unconfined --security-opt apparmor=unconfined",
    ),
    Kind(
        "identity",
        "students' code does not run as the machine's root",
        "do not grade as root, or let every user read the environment and the kit: `chmod -R a+rX` on both",
    ),
    Kind("landlock", "files outside a short list are closed", "a Linux kernel of 5.13 or later, started with landlock among its `lsm=`"),
    Kind("seccomp", "system calls that honest code does not need are refused", "apt install libseccomp2, and pip install pyseccomp"),
)
NEEDED = ("namespaces", "landlock", "seccomp")


def wanted(isolation: str) -> bool:
    """Whether the word asks for more than limits. Raises KitError for a word that is none of auto, full, basic."""
    if isolation not in ("auto", "full", "basic"):
        raise KitError(f"isolation '{isolation}' is not known; choose auto, full or basic")
    return isolation != "basic"


def describe(missing: Mapping[str, str]) -> str:
    """The name of what is in force, for reports: `full`, `partial: without ...` or `basic`."""
    lost = [kind.name for kind in KINDS if kind.name in missing]
    if {"view", *NEEDED} <= set(lost):
        return "basic"
    if not lost:
        return "full"
    return f"{'partial' if set(lost) & set(NEEDED) else 'full'}: without {', '.join(lost)}"


def lost(described: str) -> frozenset[str]:
    """The names of the layers that are not in force, from what `describe` gave. A word that it never gives stands for less than nothing."""
    if described == "full":
        return frozenset()
    _, told, names = described.partition(": without ")
    return frozenset(names.split(", ")) if told else frozenset(kind.name for kind in KINDS) | {described} - {"basic"}


def remedy(name: str, missing: Mapping[str, str]) -> str:
    """What to do about a layer that is missing. Where bubblewrap is there and fails, it lacks what the namespaces lack."""
    if name == "view" and missing.get(name, "").startswith("bwrap:"):
        name = "namespaces"
    return next(kind.remedy for kind in KINDS if kind.name == name)


def demand_full(missing: Mapping[str, str]) -> None:
    """Raises KitError, with the remedies, where a layer that full isolation needs is missing."""
    lost = [kind for kind in KINDS if kind.name in missing and kind.name in NEEDED]
    if lost:
        told = "; ".join(f"{kind.name} ({missing[kind.name]}): {remedy(kind.name, missing)}" for kind in lost)
        raise KitError(f"full isolation is not to be had here. {told}. Or grade with --isolation auto, which takes the strongest that works")
