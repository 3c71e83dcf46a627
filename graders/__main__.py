"""`python -m graders ...`: the command line is graders/faces/cli.py. Where a library is missing, the lines that install it."""

import sys
from pathlib import Path

LACKING = """{name} is not installed for this Python. In {folder}, type:
    python3 -m venv .venv
    . .venv/bin/activate
    python -m pip install -c constraints.txt -e ".[graders]"
(`make grade` makes the same environment; Debian and Ubuntu need `apt install python3-venv` first.)"""

if __name__ == "__main__":
    try:
        from graders.faces.cli import main
    except ModuleNotFoundError as error:
        if (error.name or "graders").split(".")[0] == "graders":
            raise
        print(LACKING.format(name=error.name, folder=Path(__file__).resolve().parents[1]), file=sys.stderr)
        sys.exit(2)
    main()
