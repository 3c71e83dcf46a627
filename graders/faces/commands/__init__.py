"""The commands for authors. Each takes arguments in, lets the engine work, and hands what came to a face."""
