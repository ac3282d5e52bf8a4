"""Serial questions of every kind: n small operations that must be done one after the other."""
