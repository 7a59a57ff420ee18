"""What every engine must do, on every engine: the embedded one, and real servers."""
