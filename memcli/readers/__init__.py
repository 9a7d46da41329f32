"""Transcript formats, one file each. A reader opens nothing, writes nothing, asks no time."""
