"""Backends that answer tasks, and embedders. The only layer that may open a socket."""
