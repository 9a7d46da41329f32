"""What a strategy may ask a backend, one file each: typed question, typed answer, prompt."""
