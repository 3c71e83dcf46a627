"""What earlier lessons built: the given parts that the exercises stand on."""
