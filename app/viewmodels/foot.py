"""The footer of the page: the loop bar while something runs, else the way deeper."""

from __future__ import annotations

from app.domain.effort import Effort
from app.domain.run import Purpose, Run
from app.viewmodels.deepening import button, ceiling, efforts_of
from app.viewmodels.rows import EffortButton, Footer, LoopProgress
from app.viewmodels.scene import Scene


def footer(scene: Scene) -> Footer:
    """Return what stands under the newest answer."""
    if scene.run is not None:
        return _running(scene, scene.run)
    answer = scene.newest_answer()
    if answer is None:
        return Footer()
    efforts = efforts_of(scene, answer.depth)
    if not efforts:
        return Footer(line=ceiling(answer.depth) if scene.facts is not None else "")
    return Footer(
        buttons=tuple(
            button(scene, answer, effort, suggested=effort is efforts[0]) for effort in efforts
        )
    )


def _running(scene: Scene, run: Run) -> Footer:
    progress = progress_of(scene, run)
    if run.stopping or not run.makes_answer:
        return Footer(progress)
    efforts = efforts_of(scene, run.target)
    return Footer(progress, tuple(_instead(run, effort) for effort in efforts))


def progress_of(scene: Scene, run: Run) -> LoopProgress:
    """Return a run as a loop bar."""
    deepest = scene.facts.deepest if scene.facts is not None else run.target
    return LoopProgress(run.kept, run.done, run.target, max(deepest, run.target), run.caption())


def _instead(run: Run, effort: Effort) -> EffortButton:
    """Return the button that raises the target of a run, or stops its writing to go deeper."""
    if run.reading and run.purpose is not Purpose.CONTINUE:
        price = f"goes on to {effort.depth} · +{effort.depth - run.done} loops"
    else:
        price = f"stops this answer, then +{effort.depth - run.target} loops"
    return EffortButton(f"{effort.title} instead", price, effort.depth)
