"""The command line: one file a command. Parse, open, call, render, exit."""
