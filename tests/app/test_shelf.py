"""The shelf of kept states: budget, least use first, causes, nothing left open; the coalescer."""

from __future__ import annotations

from scripted_engine import ScriptedHandle

from app.engine_link.coalescer import INTERVAL, Coalescer
from app.engine_link.handles import CPU_BUDGET, GPU_BUDGET, Shelf, budget

MIB = 1 << 20


def handle(*tokens: int, depth: int = 8) -> ScriptedHandle:
    return ScriptedHandle(tokens, depth, MIB)


def test_the_budget_is_a_quarter_of_free_memory_up_to_a_limit() -> None:
    assert budget(400 * MIB, on_gpu=False) == 100 * MIB
    assert budget(100 << 30, on_gpu=False) == CPU_BUDGET == 512 * MIB
    assert budget(100 << 30, on_gpu=True) == GPU_BUDGET == 2048 * MIB
    assert budget(0, on_gpu=False) == CPU_BUDGET  # a system that does not say


def test_the_least_used_goes_first() -> None:
    shelf = Shelf(2 * MIB, clock=lambda: "14:02")
    first, second, third = handle(1, 2), handle(1, 3), handle(1, 4)
    shelf.add(first, "m1", "One")
    shelf.add(second, "m2", "Two")
    assert shelf.for_send((1, 2, 9), 8) is first  # used: now the second is the oldest
    shelf.add(third, "m3", "Three")
    assert (first.closed, second.closed, third.closed) == (False, True, False)
    (freed,) = shelf.take_freed()
    assert (freed.message_id, freed.evicted) == ("m2", True)
    assert freed.cause == "freed to make room for “Three”, 14:02"
    assert shelf.take_freed() == ()


def test_a_message_has_one_state() -> None:
    shelf = Shelf(8 * MIB)
    old, new = handle(1, 2), handle(1, 2, 3)
    shelf.add(old, "m1", "")
    shelf.add(new, "m1", "")
    assert old.closed
    assert len(shelf.kept()) == 1
    assert shelf.take_freed() == ()


def test_an_unanswered_prompt_goes_when_its_answer_covers_it() -> None:
    shelf = Shelf(8 * MIB)
    prompt, other = handle(1, 2, depth=16), handle(1, 2, depth=8)
    shelf.add(prompt, "", "")
    shelf.add(other, "", "")
    shelf.add(handle(1, 2, 3, depth=16), "m1", "")
    assert (prompt.closed, other.closed) == (True, False)


def test_room_is_made_without_the_state_in_use() -> None:
    shelf = Shelf(8 * MIB)
    used, old, newer = handle(1), handle(2), handle(3)
    for i, h in enumerate((used, old, newer)):
        shelf.add(h, f"m{i}", "")
    assert shelf.make_room(MIB // 2, "Two", spare=used)
    assert (used.closed, old.closed, newer.closed) == (False, True, False)
    assert shelf.make_room(8 * MIB, "Two", spare=used)
    assert newer.closed
    assert not shelf.make_room(1, "Two", spare=used)


def test_the_newest_answer_on_screen_goes_last() -> None:
    shelf = Shelf(2 * MIB)
    shelf.shown = "m1"
    shown, other, newest = handle(1, 2), handle(1, 3), handle(1, 4)
    shelf.add(shown, "m1", "One")
    shelf.add(other, "m2", "Two")
    shelf.add(newest, "m3", "Three")
    assert (shown.closed, other.closed, newest.closed) == (False, True, False)
    assert shelf.make_room(MIB, "Four", spare=newest)
    assert shown.closed  # there was nothing else


def test_forgetting_and_clearing_close_everything() -> None:
    shelf = Shelf(8 * MIB)
    handles = [handle(1), handle(2), handle(3)]
    for i, h in enumerate(handles):
        shelf.add(h, f"m{i}" if i else "", "")
    shelf.forget({"m1"})
    assert [h.closed for h in handles] == [True, True, False]
    assert [freed.cause for freed in shelf.take_freed()] == ["freed when its chat was deleted"]
    shelf.clear("the device was reset")
    assert handles[2].closed
    assert [freed.cause for freed in shelf.take_freed()] == ["the device was reset"]
    assert shelf.nbytes() == 0


def test_tokens_are_joined_and_none_is_lost() -> None:
    now = [0.0]
    sent: list[tuple[str, tuple[int, ...]]] = []
    coalescer = Coalescer(lambda text, ids: sent.append((text, ids)), clock=lambda: now[0])
    for i in range(10):
        coalescer.add(i, str(i))
        now[0] += INTERVAL / 4
    coalescer.flush("!")
    assert sent[0] == ("0", (0,))  # the first word at once
    assert len(sent) == 4
    assert "".join(text for text, _ in sent) == "0123456789!"
    assert [i for _, ids in sent for i in ids] == list(range(10))
    coalescer.flush()
    assert len(sent) == 4
