"""What is tried on a student's parts. Runs behind the wall, returns what came out, and judges nothing."""
