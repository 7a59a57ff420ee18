"""The fields Leitong adds to an index, as JSON component templates, and the code that loads them."""
