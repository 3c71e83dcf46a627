"""`python -m graders ...`: the command line is graders/faces/cli.py."""

from graders.faces.cli import main

if __name__ == "__main__":
    main()
