"""Conversations as plain data: no Qt, no engine."""
