"""The lessons: a text to read (l15.md) and its numbers to run (`python -m lessons.l15`)."""
