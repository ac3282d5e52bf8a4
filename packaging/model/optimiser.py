"""Muon for the layers' matrices and AdamW for all else, on one flat gradient."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn


def orthogonal(stack: Tensor) -> Tensor:
    """Return matrices [n, rows ≤ columns] with singular values near 1 (Newton–Schulz, bf16)."""
    x = stack.bfloat16()
    x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(5):
        a = x @ x.mT
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    return x


class Muon:
    """Momentum made orthogonal, for matrices of one shape at a time."""

    def __init__(self, matrices: Iterable[nn.Parameter], momentum: float, decay: float) -> None:
        self.momentum, self.decay = momentum, decay
        self.groups: dict[tuple[int, int], list[nn.Parameter]] = {}
        for matrix in matrices:
            rows, columns = matrix.shape
            self.groups.setdefault((min(rows, columns), max(rows, columns)), []).append(matrix)
        self.buffers = {
            shape: torch.zeros(len(group), *shape, device=group[0].device)
            for shape, group in self.groups.items()
        }

    @torch.no_grad()
    def update(self, rate: float) -> None:
        """Move every matrix by ``rate`` along its orthogonal momentum (Nesterov)."""
        for shape, group in self.groups.items():
            wide = [p.grad if p.shape == shape else p.grad.mT for p in group]  # type: ignore[union-attr]
            gradient, buffer = torch.stack(wide), self.buffers[shape]
            buffer.lerp_(gradient, 1 - self.momentum)
            steps = orthogonal(gradient.lerp(buffer, self.momentum)).float()
            for parameter, step in zip(group, steps, strict=True):
                parameter.mul_(1 - rate * self.decay)
                along = step if parameter.shape == shape else step.mT
                tall = max(1.0, parameter.shape[0] / parameter.shape[1]) ** 0.5
                parameter.add_(along, alpha=-rate * tall)


class Optimiser:
    """Both methods over a model whose gradients lie in one buffer, summed over the GPUs."""

    def __init__(self, model: nn.Module, plan: dict[str, Any]) -> None:
        self.plan = plan
        self.updates = 0  # whose gradients this memory holds
        named = list(model.named_parameters())
        self.flat = torch.zeros(sum(p.numel() for _, p in named), device=named[0][1].device)
        at = 0
        for _, parameter in named:
            parameter.grad = self.flat[at : at + parameter.numel()].view_as(parameter)
            at += parameter.numel()
        matrices = [p for name, p in named if ".matrices." in name]
        others = [p for name, p in named if ".matrices." not in name]
        self.muon = Muon(matrices, plan["momentum"], plan["decay"])
        self.adam = torch.optim.AdamW(
            others, lr=plan["others"], betas=(0.9, 0.95), weight_decay=0.0,
            fused=others[0].is_cuda,
        )  # fmt: skip

    def factor(self, progress: float) -> float:
        """Return the learning rates' factor at ``progress`` 0 … 1; a fresh memory warms up."""
        plan = self.plan
        falling = max(0.0, (progress - (1 - plan["cooldown"])) / plan["cooldown"])
        return min(1.0, (self.updates + 1) / plan["warm_up"]) * (1 - falling * (1 - plan["floor"]))

    def update(self, factor: float) -> Tensor:
        """Apply the gradients at ``factor`` of the rates and clear them; returns their norm."""
        if dist.is_initialized():
            dist.all_reduce(self.flat, op=dist.ReduceOp.AVG)
        norm = self.flat.norm()
        self.flat.mul_((self.plan["clip"] / (norm + 1e-6)).clamp(max=1.0))
        self.muon.update(self.plan["matrices"] * factor)
        for group in self.adam.param_groups:
            group["lr"] = self.plan["others"] * factor
        self.adam.step()
        self.flat.zero_()
        self.updates += 1
        return norm

    def state_dict(self) -> dict[str, Any]:
        """Return what ``load_state_dict`` takes."""
        return {"updates": self.updates, "muon": self.muon.buffers,
                "adam": self.adam.state_dict()}  # fmt: skip

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a saved state."""
        self.updates = state["updates"]
        for shape, buffer in state["muon"].items():
            self.muon.buffers[shape].copy_(buffer)
        self.adam.load_state_dict(state["adam"])
