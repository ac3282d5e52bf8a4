"""The desktop app; Qt lives only here."""
