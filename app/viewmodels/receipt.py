"""The receipt of an answer: how it came about, in lines a person can read and copy."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.domain.answer import AnswerSampling, ModelId, RunReport
from app.domain.conversation import Message, Status
from app.viewmodels.library_rows import Receipt, ReceiptLine
from app.viewmodels.page import BUSY_HINT
from app.viewmodels.rows import LoopProgress
from app.viewmodels.scene import Scene

FINGERPRINT = 12  # characters of a file's fingerprint that tell files apart
NO_IDS = "There is nothing to compare: no word was written."
NO_MODEL = "Open the model that wrote this answer to run it again."
OTHER_MODEL = "Another model file, or another device, wrote this answer."


class ReceiptModel(QObject):
    """The receipt on screen, None when there is none."""

    changed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.receipt: Receipt | None = None

    def show(self, receipt: Receipt | None) -> None:
        """Show another receipt, or another state of it."""
        self.receipt = receipt
        self.changed.emit(receipt)


def receipt_of(scene: Scene, message: Message, comparison: str = "") -> Receipt:
    """Return the receipt of an answer, of any chat."""
    hint = _obstacle(scene, message)
    lines = [
        ("Model", _model(scene, message.model)),
        ("Depth", f"{message.depth} loops"),
        *_sampling(message.sampling),
        *_run(message.report),
        ("Ended", _ending(message)),
    ]
    return Receipt(
        message_id=message.id,
        lines=tuple(ReceiptLine(label, value) for label, value in lines),
        can_compare=not hint,
        hint=hint,
        comparison=comparison,
        progress=_loops(scene, message),
    )


def compared(written: tuple[int, ...], again: tuple[int, ...] | None) -> str:
    """Return what running an answer again said; None: it was stopped, or failed."""
    if again is None:
        return "not finished: the second run was stopped or failed"
    if again == written:
        return f"identical: the same {len(written)} tokens from nothing"
    pairs = zip(written, again, strict=False)
    same = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(written), len(again)))
    return f"different from token {same + 1} of {len(written)} on"


def _loops(scene: Scene, message: Message) -> LoopProgress:
    """Return the loops of an answer: those that were kept, and those its run added."""
    kept = message.report.kept_loops if message.report is not None else 0
    deepest = max(message.depth, scene.facts.deepest if scene.facts is not None else 0)
    caption = f"{message.depth} loops" + (f", the first {kept} were kept" if kept else "")
    return LoopProgress(kept, message.depth, message.depth, deepest, caption)


def _model(scene: Scene, model: ModelId | None) -> str:
    """Return the model in words: its name while it is the open one, and its file's fingerprint."""
    if model is None:
        return "unknown"
    facts = scene.facts
    name = f"{facts.name}, " if facts is not None and facts.id == model else ""
    return f"{name}file {model.file[:FINGERPRINT]} on {model.device}"


def _obstacle(scene: Scene, message: Message) -> str:
    """Return why an answer cannot be run again and compared now, "" when it can."""
    if not message.token_ids or message.sampling is None:
        return NO_IDS
    if scene.facts is None:
        return NO_MODEL
    if message.model != scene.facts.id:
        return OTHER_MODEL
    return BUSY_HINT if scene.run is not None or scene.waiting is not None else ""


def _sampling(sampling: AnswerSampling | None) -> list[tuple[str, str]]:
    if sampling is None:
        return []
    if sampling.temperature == 0:
        return [("Choice of words", f"the likeliest (seed {sampling.seed} not needed)")]
    how = f"temperature {sampling.temperature:g}, top-k {sampling.top_k}"
    return [
        ("Seed", str(sampling.seed)),
        ("Choice of words", f"{how}, top-p {sampling.top_p:g}"),
    ]


def _run(report: RunReport | None) -> list[tuple[str, str]]:
    """Return what the run did; an answer that was cut off by the end of the app has no report."""
    if report is None:
        return [("Run", "ended before it was counted")]
    first, last = report.loops
    if report.kept_loops:
        start = f"warm: the first {report.kept_loops} loops were kept"
    elif report.prefilled < report.prompt_tokens:
        start = f"warm: {report.prompt_tokens - report.prefilled} tokens were read before"
    else:
        start = "cold: everything was read in this run"
    loops = f"loops {first + 1} to {last}" if last else "no loop"
    speed = report.tokens_per_second
    pace = f" ({speed:.1f} tokens/s)" if speed is not None else ""
    return [
        ("Start", start),
        ("Prompt", f"{report.prompt_tokens} tokens, {report.prefilled} of them read in this run"),
        ("Loops run", f"{loops}, {report.cells} tokens × loops before the first word"),
        (
            "First word",
            f"after {report.first_word:.2f} s, reading took {report.read_seconds:.2f} s",
        ),
        ("Written", f"{report.written} tokens in {report.write_seconds:.2f} s{pace}"),
    ]


def _ending(message: Message) -> str:
    if message.status is Status.FAILED:
        code = f" ({message.error_code})" if message.error_code else ""
        return f"with an error{code}: {message.error}"
    words = {Status.DONE: "by itself", Status.LENGTH: "at the length limit",
             Status.STOPPED: "stopped by you", Status.INTERRUPTED: "when the app ended",
             Status.WRITING: "it is being written"}  # fmt: skip
    return words[message.status]
