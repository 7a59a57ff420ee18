"""What is done with duplicates: decisions, marks, deletions, and documents that are duplicates when they come."""
