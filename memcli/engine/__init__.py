"""Run passes: read, plan, validate, diff, apply; take back; check; say what is due."""
