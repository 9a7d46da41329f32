"""Audit checks, one file each. A check yields findings; it neither prints nor repairs."""
