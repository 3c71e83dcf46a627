"""Reading what a student handed in, as text. Nothing of it is imported, run, or written to disk."""
