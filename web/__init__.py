"""The search page: pages and JSON over the same library calls as the command line."""
