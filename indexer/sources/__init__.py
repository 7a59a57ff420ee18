"""Where documents come from: JSONL, CSV, Parquet, folders and files of text. `open.open_sources` opens them by name."""
