"""What plug-ins share. Everything here is pure: no files, no clock, no network."""
