"""What the window shows, as Qt models and plain rows."""
