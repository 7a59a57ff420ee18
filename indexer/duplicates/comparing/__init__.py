"""How much do two texts share? The check of texts, and what it goes by."""
