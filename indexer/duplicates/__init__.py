"""Candidates, distance, text check, matches, clusters."""
