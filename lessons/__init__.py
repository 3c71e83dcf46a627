"""The lessons: a text to read (l15.md) and its numbers to run (`python -m lessons.l15`)."""

import importlib.util
import sys

if sys.argv[:1] == ["-m"] and importlib.util.find_spec("torch") is None:  # Python says "-m" while it looks for the lesson that is to run
    from exercises._told import lacking

    print(lacking("torch"), file=sys.stderr)
    sys.exit(2)
