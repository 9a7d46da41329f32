"""One store file. The only layer that knows SQL."""
