"""Click on "Re-run cold and compare" → the same prompt from nothing → identical, bundled model."""

from __future__ import annotations

from app_rig import Rig
from layer_spy import spy
from real_engine import SUM, prompt_of

from app.receipts import Receipts
from app.viewmodels.about import AboutModel
from app.viewmodels.receipt import ReceiptModel
from app.viewmodels.shelf import ShelfModel


def test_warm_answers_are_what_a_cold_run_says(rig: Rig) -> None:
    receipt = ReceiptModel()
    receipts = Receipts(rig.chat, rig.service, receipt, ShelfModel(), AboutModel())
    length = len(prompt_of(rig, SUM))
    rig.ask(SUM)
    answers = [rig.deepen(16), rig.deepen(32)]
    rig.chat.answer_again(answers[0].id)
    rig.idle()
    answers += [rig.newest, rig.ask("And 3 more?")]
    for answer in answers:
        with spy(rig.script.last) as ran:
            receipts.compare_cold(answer.id)
            rig.idle()
        count = len(answer.token_ids)
        assert receipt.receipt.comparison == f"identical: the same {count} tokens from nothing"
        prompt = len(rig.scene.prompt_of(answer).tokens)
        assert prompt >= length
        assert ran.before_first_word == dict.fromkeys(range(answer.depth), prompt)
    assert all(answer.report.prefilled < answer.report.prompt_tokens for answer in answers)
