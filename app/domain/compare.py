"""One line that says what a deeper answer changed, and whether a known answer was met."""

from __future__ import annotations

SHORT = 30  # characters up to which both answers are shown in full


def compare(old: str, old_depth: int, new: str, old_finished: bool = True) -> str:
    """Return "same answer as at 8 loops" or what changed.

    An old answer that was stopped is compared as far as it went.
    """
    before, after = old.split(), new.split()
    if not old_finished:
        if after[: len(before)] == before:
            return f"begins like the answer at {old_depth} loops"
    elif before == after:
        return f"same answer as at {old_depth} loops"
    old_line, new_line = " ".join(before), " ".join(after)
    if max(len(old_line), len(new_line)) <= SHORT:
        return f"changed: {old_line or '(empty)'} → {new_line or '(empty)'}"
    return _first_difference(before, after)


def known(answer: str, expected: str) -> str:
    """Return "known answer: 7 — right" or "— not yet"; the answer's last words count."""
    wanted, said = _plain(expected), _plain(answer)
    verdict = "right" if wanted and said[-len(wanted) :] == wanted else "not yet"
    return f"known answer: {expected} — {verdict}"


def _plain(text: str) -> list[str]:
    return text.lower().rstrip(" .!\n").split()


def _first_difference(before: list[str], after: list[str]) -> str:
    same = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), None)
    if same is None:
        same = min(len(before), len(after))
    old = before[same] if same < len(before) else "(end)"
    new = after[same] if same < len(after) else "(end)"
    return f"changed from word {same + 1}: {old} → {new}"
