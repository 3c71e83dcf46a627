"""BEHIND THE WALL: the server, the child, and what a child does with one job."""
