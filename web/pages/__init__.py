"""One module for each page and its JSON twin."""
