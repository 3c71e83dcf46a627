"""This side of the wall: reads content and submissions as text, asks the worker for numbers, and judges them.

Never imports torch, probes, solutions or student code; a test by `ast` keeps it so.
"""
