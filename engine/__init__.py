"""A looped language model whose answers can be taken deeper by resuming a stored state."""
