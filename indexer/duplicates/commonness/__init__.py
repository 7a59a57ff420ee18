"""Which passages does everybody have? What many documents share is learned, and weighs little."""
