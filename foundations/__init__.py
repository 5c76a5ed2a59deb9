"""Small parts that every other folder uses. They use none of the others."""
