"""The exercises: open a file, write what its sentences ask for, then run `pytest exercises`."""
