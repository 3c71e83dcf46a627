"""A report goes in; each file knows one outside world. No face imports another."""
