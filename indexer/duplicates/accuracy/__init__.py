"""How well are duplicates found here? By labelled pairs, and by edits of the collection's own texts."""
