"""Text to words to weighted features to bits to blocks. Pure: no files but its own data, no clients, no screens."""
