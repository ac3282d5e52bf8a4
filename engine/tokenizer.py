"""Text to token ids and back, chat prompts included, from the tokenizer inside a model file."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Sequence
from pathlib import Path

import sentencepiece

from engine.config import ModelConfig
from engine.errors import ModelFileError
from engine.file_header import read_header
from engine.tensor_names import TOKENIZER
from engine.weights import read_info

SPACE = "\u2581"  # sentencepiece writes a space as this character

Message = tuple[str, str | Sequence[int]]
"""A role ("user" or "assistant") and its text, or its token ids when they are known."""


class Tokenizer:
    """A sentencepiece tokenizer and the chat template around it.

    ``control_ids`` stand for no text: chat marks, unknown, unused and ids without a piece. They
    never come from text, and an engine never samples them except the file's ``stop_ids``.
    """

    def __init__(self, model: bytes, config: ModelConfig, file: str | Path) -> None:
        """Load the tokenizer from its bytes; ModelFileError names ``file`` when they are bad."""
        self._processor, self._bytes, self._dummy_space = _load(model, file)
        pieces = len(self._bytes)
        if pieces > config.vocab_size:
            raise ModelFileError(
                f"{file}: tensor 'tokenizer' has {pieces} pieces, but the config's vocab_size "
                f"is {config.vocab_size}."
            )
        self.vocab_size = config.vocab_size
        self._template = config.chat_template
        self.stop_ids = frozenset(config.stop_ids)
        self.control_ids = frozenset(
            i for i in range(config.vocab_size) if i >= pieces or not self._bytes[i]
        )
        t = config.chat_template
        marks = {config.bos_id, *config.stop_ids, *t.start, *t.user, *t.assistant, *t.end}
        if marks - self.control_ids:
            mark = min(marks - self.control_ids)
            raise ModelFileError(
                f"{file}: the chat mark {mark} must be a control symbol of the tokenizer, "
                f"found {self._processor.id_to_piece(mark)!r}, which text could produce."
            )

    @classmethod
    def from_file(cls, path: str | Path) -> Tokenizer:
        """Read only the tokenizer of the model file at ``path``; no weights are touched.

        Raises ModelFileError.
        """
        path = Path(path)
        header = read_header(path)
        read_info(path, header)
        config = ModelConfig.from_json(header.metadata["config"], str(path))
        stored = header.tensors.get(TOKENIZER)
        if stored is None:
            raise ModelFileError(f"{path}: the tensor 'tokenizer' is missing.")
        with open(path, "rb") as file:
            file.seek(header.data_offset(stored))
            return cls(file.read(stored.end - stored.begin), config, path)

    def encode(self, text: str) -> list[int]:
        """Return the ids of ``text``; marks like ``<s>`` written in it are plain text.

        Lone surrogates, which no byte sequence can hold, become question marks.
        """
        clean = text.encode("utf-8", "replace").decode("utf-8")
        ids: list[int] = self._processor.encode(clean)
        return ids

    def encode_chat(self, messages: Iterable[Message]) -> list[int]:
        """Return the prompt for the next answer: user, assistant, …, user, in turn.

        Each text is encoded on its own and put into the file's chat template; the prompt ends
        with the assistant mark. Ids given in place of a text are used as they are, and an
        answer's ids get the end mark only when they do not end with a stop id.
        Raises ValueError for another role or order and for ids outside the vocabulary.
        """
        turns = list(messages)
        roles = [role for role, _ in turns]
        if not turns or roles != [("user", "assistant")[i % 2] for i in range(len(turns))]:
            raise ValueError(f"Messages must go user, assistant, … user; found {roles}.")
        if roles[-1] != "user":
            raise ValueError("The last message must be the user's, there is nothing to answer.")
        ids = list(self._template.start)
        for role, content in turns:
            part = self._ids(content)
            if role == "user":
                ids += [*self._template.user, *part, *self._template.assistant]
            elif part and part[-1] in self.stop_ids:
                ids += part
            else:
                ids += [*part, *self._template.end]
        return ids

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of ``ids``; control ids give nothing, broken characters U+FFFD."""
        detokenizer = self.detokenizer()
        return "".join([detokenizer.push(i) for i in ids]) + detokenizer.flush()

    def token_bytes(self, token: int) -> bytes:
        """Return the UTF-8 bytes that ``token`` adds to the text, which may be half a character.

        Raises ValueError for an id outside the vocabulary.
        """
        if not 0 <= token < self.vocab_size:
            raise ValueError(f"Token id {token} is outside the vocabulary of {self.vocab_size}.")
        return self._bytes[token] if token < len(self._bytes) else b""

    def detokenizer(self) -> Detokenizer:
        """Return a new incremental decoder for one answer."""
        return Detokenizer(self, self._dummy_space)

    def _ids(self, content: str | Sequence[int]) -> list[int]:
        """Return the ids of a message's content, checked when they were given as ids."""
        if isinstance(content, str):
            return self.encode(content)
        ids = [int(i) for i in content]
        outside = [i for i in ids if not 0 <= i < self.vocab_size]
        if outside:
            raise ValueError(
                f"Token id {outside[0]} is outside the vocabulary of {self.vocab_size}."
            )
        return ids


class Detokenizer:
    """Turns ids into text as they come, never half a character.

    What ``push`` and ``flush`` return adds up to ``Tokenizer.decode`` of the same ids.
    """

    def __init__(self, tokenizer: Tokenizer, dummy_space: bool) -> None:
        self._tokenizer = tokenizer
        self._drop_space = dummy_space  # the space sentencepiece puts before the first word
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def push(self, token: int) -> str:
        """Return the text that became complete with ``token``, often all of it, maybe none."""
        data = self._tokenizer.token_bytes(token)
        if data and self._drop_space:
            self._drop_space = False
            data = data.removeprefix(b" ")
        return self._decoder.decode(data)

    def flush(self) -> str:
        """Return what is left at the end: U+FFFD for a character that was never finished."""
        return self._decoder.decode(b"", final=True)


def _load(
    model: bytes, file: str | Path
) -> tuple[sentencepiece.SentencePieceProcessor, list[bytes], bool]:
    """Return the processor, the bytes of each piece, and whether it puts a space before a text."""
    try:
        processor = sentencepiece.SentencePieceProcessor()
        processor.LoadFromSerializedProto(model)
        pieces = [_piece_bytes(processor, i) for i in range(len(processor))]
        return processor, pieces, processor.encode("a", out_type=str)[0].startswith(SPACE)
    except (RuntimeError, ValueError, IndexError) as error:  # the two last: broken pieces
        raise ModelFileError(
            f"{file}: tensor 'tokenizer' must be a sentencepiece model, found {len(model)} bytes "
            "that are none."
        ) from error


def _piece_bytes(processor: sentencepiece.SentencePieceProcessor, token: int) -> bytes:
    """Return what a piece adds to a text; nothing for control, unknown and unused pieces."""
    if processor.is_control(token) or processor.is_unknown(token) or processor.is_unused(token):
        return b""
    piece = str(processor.id_to_piece(token))
    if processor.is_byte(token):
        return bytes([int(piece[3:5], 16)])  # a byte piece reads <0x41>
    return piece.replace(SPACE, " ").encode()
