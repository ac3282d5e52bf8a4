"""The ids of the tokenizer's marks, and where its pieces of text begin."""

BOS, EOS, USER, ASSISTANT, END = 1, 2, 3, 4, 5
FIRST_PIECE = 263  # the first that is no mark and no byte
