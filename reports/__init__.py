"""Writers of reports: JSON lines, CSV, HTML."""
