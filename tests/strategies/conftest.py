"""Strategies run through the real engine, on a store on disk."""

from tests.engine.conftest import world

__all__ = ["world"]
