"""The devices the model can run on, behind one small protocol."""
