"""Reports made by hand, for the tests of the faces."""

from graders.model import Check, Hint, Outcome, Report, Verdict

HOSTILE = "=1+1\n::error::owned\x1b[2J\x07 \u202egnp.exe ##[group]x\x00\ud800\uffff ]]> <b>[bold]&"
EPS = Hint(("eps_outside_root",), "Add eps to the mean square, before the square root.")


def verdict(check, outcome=Outcome.PASSED, message="", hint=None, points=1.0):
    """One verdict on a check that takes the part its id names."""
    part = check.split(".")[0]
    return Verdict(Check(check, f"Try {check.split('.')[1]}.", points, (part,), check), outcome, message, hint)


def report(*verdicts, label="student-017", notes=(), isolation="full"):
    """One report with the seed 7."""
    return Report(label, verdicts, 7, isolation, "0.1.0+abcdef12", {"norm": "00ff"}, 0.051, notes)


def mixed(label="student-017"):
    """One verdict of each kind."""
    return report(
        verdict("norm.three_four", points=2.0),
        verdict("norm.faint", Outcome.FAILED, "y: 2 of 2 numbers are wrong, first at [0].", EPS),
        verdict("norm.zero", Outcome.FAILED, "y: the number is not finite.", EPS),
        verdict("heads.value", Outcome.UNFINISHED, "Open exercises/heads.py and write Heads.forward."),
        verdict("heads.causal", Outcome.UNFINISHED, "Open exercises/heads.py and write Heads.forward."),
        verdict("block.value", Outcome.CRASHED, "block.py, line 3: ValueError: no"),
        verdict("block.loop", Outcome.TIMED_OUT, "No result after 5 seconds."),
        verdict("answers.q1", Outcome.MISSING, "answers.py was not handed in."),
        verdict("all.together", Outcome.VOID, "The grader's own worker gave no result."),
        label=label,
    )


def hostile():
    """A report in which every text that a student can reach is an attack."""
    return report(verdict("norm.faint", Outcome.CRASHED, HOSTILE), label=HOSTILE, notes=(HOSTILE,))
