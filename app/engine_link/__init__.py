"""The only part of the app that talks to the engine."""
