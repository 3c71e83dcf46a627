"""nbgrader as the outside world: `nbgrader autograde` asks the engine, and its gradebook and pages show what the engine says.

Theory of operation. nbgrader turns a notebook twice, each time through a list of steps; nbgrader_config.py names ours among its own.

    submitted/ --(Lenient reads, whatever was handed in)--> restore, then nbgrader's own: outputs cleared, locked cells overwritten
    autograded/ ----------------------------------------> grade in place of Execute, then nbgrader's own: scores saved; then flag

restore  makes a sound notebook of what was handed in: cells as nbgrader knows them, grade cells that are missing put back
grade    reads the code as text, runs it behind the wall, writes one plain number and the words for it into each grade cell
flag     asks for a person where the kit could not decide

No code of a student runs in nbgrader's process or in a kernel. The worker stays warm from one notebook to the next. Where the config is
not in force, nbgrader runs the notebook in a kernel, and each cell of hidden checks calls `kernel.grade_cell`: the same engine again.
The files here that a kernel needs import nothing of nbgrader.
"""
