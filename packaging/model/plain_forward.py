"""A plain PyTorch forward of a `.tinyloop` model, to check the engine by: no cache, no tricks.

It shares no code with the engine or the trainer, on purpose: what all compute alike is right.
"""

import json
from collections.abc import Callable
from pathlib import Path

import torch
from safetensors import safe_open
from torch import Tensor

Watch = Callable[[str, Tensor], None]
WANTED = {"norm_style": "sandwich", "qk_norm": "per_head", "injection": "diagonal",
          "initial_state": "input", "entry_norm": True, "loop_exit_norm": True, "tied_head": True,
          "num_post_layers": 0, "rope_scaling": None}  # fmt: skip


class Plain:
    """The model of one file, all weights in FP32; every call computes everything again.

    ``watch(name, x)`` is called with the input of every layer matrix, as it is used. ``w`` holds
    the tensors by name and may be changed.
    """

    def __init__(self, path: Path, config: str = "", device: str = "cpu") -> None:
        with safe_open(path, "pt") as file:
            self.config = json.loads(config or file.metadata()["config"])
            stored = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        for field, value in WANTED.items():
            if self.config[field] != value:
                raise ValueError(f"{path}: {field} must be {value}, found {self.config[field]}.")
        self.device = torch.device(device)
        self.watch: Watch = lambda _name, _x: None
        self.w = {n: t.float().to(device) for n, t in stored.items() if t.dtype != torch.uint8}
        for name in (n.removesuffix(".qweight") for n in stored if n.endswith(".qweight")):
            packed, scales = stored[f"{name}.qweight"].to(device), self.w[f"{name}.scales"]
            q = torch.stack([packed & 15, packed >> 4], dim=2).view(*scales.shape, -1)
            self.w[f"{name}.weight"] = ((q.float() - 8) * scales[..., None]).flatten(1)

    def rms(self, x: Tensor, name: str) -> Tensor:
        """RMS norm over the last axis."""
        scale = (x.square().mean(-1, keepdim=True) + self.config["norm_eps"]).sqrt()
        return self.w[f"{name}.weight"] * x / scale

    def linear(self, x: Tensor, name: str) -> Tensor:
        """Multiply by a stored matrix [out, in]."""
        self.watch(name, x)
        return x @ self.w[f"{name}.weight"].T

    def rope(self, x: Tensor) -> Tensor:
        """Rotate channel i with i + width/2 of [rows, heads, tokens, width]."""
        pairs = torch.arange(0, x.shape[3], 2, dtype=torch.float64) / x.shape[3]
        at = torch.arange(x.shape[2], dtype=torch.float64)
        angle = at[:, None] * self.config["rope_base"] ** -pairs
        cos, sin = angle.cos().float().to(x.device), angle.sin().float().to(x.device)
        a, b = x.chunk(2, dim=3)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=3)

    def heads(self, x: Tensor, name: str) -> Tensor:
        """Project [rows, tokens, hidden] to heads [rows, heads, tokens, width]."""
        return self.linear(x, name).unflatten(2, (-1, self.config["head_dim"])).transpose(1, 2)

    def layer(self, x: Tensor, name: str) -> Tensor:
        """One sandwich layer over [rows, tokens, hidden]: causal attention, then SwiGLU."""
        y = self.rms(x, f"{name}.attn.norm")
        q, k, v = (self.heads(y, f"{name}.attn.{m}") for m in "qkv")
        q, k = (self.rope(self.rms(a, f"{name}.attn.{m}_norm")) for a, m in ((q, "q"), (k, "k")))
        k, v = k.half().float(), v.half().float()  # as caches keep them
        shared = self.config["num_heads"] != self.config["num_kv_heads"]
        y = torch.nn.functional.scaled_dot_product_attention(
            q, k, v, is_causal=True, enable_gqa=shared
        )
        y = self.linear(y.transpose(1, 2).flatten(2), f"{name}.attn.o")
        x = x + self.rms(y, f"{name}.attn.post_norm")
        y = self.rms(x, f"{name}.mlp.norm")
        gate, up = self.linear(y, f"{name}.mlp.gate"), self.linear(y, f"{name}.mlp.up")
        y = self.linear(gate * gate.sigmoid() * up, f"{name}.mlp.down")
        return x + self.rms(y, f"{name}.mlp.post_norm")

    def embed(self, ids: Tensor) -> Tensor:
        """Return the input [rows, tokens, hidden] of the first layer for ``ids`` [rows, tokens]."""
        return self.w["embed.weight"][ids] * self.config["embed_scale"]

    def loop(self, state: Tensor, entry: Tensor) -> Tensor:
        """Run one loop over the state; ``entry`` is what the pre layers left, normed."""
        x = self.w["inject.state_scale"] * state + self.w["inject.input_scale"] * entry
        for j in range(self.config["num_loop_layers"]):
            x = self.layer(x, f"loop.{j}")
        return self.rms(x, "loop_norm")

    @torch.inference_mode()
    def states(self, ids: Tensor, loops: int) -> list[Tensor]:
        """Return the state [rows, tokens, hidden] after each loop for ``ids`` [rows, tokens]."""
        x = self.embed(ids.to(self.device))
        for i in range(self.config["num_pre_layers"]):
            x = self.layer(x, f"pre.{i}")
        entry = state = self.rms(x, "entry_norm")
        after = []
        for _ in range(loops):
            state = self.loop(state, entry)
            after.append(state)
        return after

    @torch.inference_mode()
    def logits(self, state: Tensor) -> Tensor:
        """Return the logits [..., vocab] of states [..., hidden]."""
        return self.rms(state, "final_norm") @ self.w["embed.weight"].T
