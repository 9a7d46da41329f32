"""Tests; the folders mirror memcli."""
