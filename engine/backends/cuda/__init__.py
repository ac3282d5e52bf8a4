"""The NVIDIA GPU behind the Backend protocol; the only folder that imports ``cuda``."""
