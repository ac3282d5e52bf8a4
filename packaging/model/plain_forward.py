"""A plain NumPy forward of the bundled model, to check the engine by: no cache, no tricks.

It shares no code with the engine, on purpose: what both compute alike is right twice.
"""

import json
from pathlib import Path

import numpy as np
from safetensors import safe_open


class Plain:
    """The model of one file, all weights in FP32; every call computes everything again."""

    def __init__(self, path: Path, config: str = "", kv: type = np.float16) -> None:
        with safe_open(path, "np") as file:
            self.config, self.kv = json.loads(config or file.metadata()["config"]), kv
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        self.w = {n: t.astype(np.float32) for n, t in tensors.items() if t.dtype != np.uint8}
        for name in (n[:-8] for n in tensors if n.endswith(".qweight")):
            packed, scales = tensors[f"{name}.qweight"], self.w[f"{name}.scales"]
            q = np.stack([packed & 15, packed >> 4], axis=2).reshape(*scales.shape, -1)
            w = (q.astype(np.float32) - 8) * scales[:, :, None]
            self.w[f"{name}.weight"] = w.reshape(len(packed), -1)

    def rms(self, x: np.ndarray, name: str) -> np.ndarray:
        """RMS norm over the last axis."""
        scale = np.sqrt((x * x).mean(-1, keepdims=True) + self.config["norm_eps"])
        return self.w[f"{name}.weight"] * x / scale

    def linear(self, x: np.ndarray, name: str) -> np.ndarray:
        """Multiply by a stored matrix [out, in]."""
        return x @ self.w[f"{name}.weight"].T

    def rope(self, x: np.ndarray) -> np.ndarray:
        """Rotate channel i with i + width/2 of [tokens, heads, width]."""
        pairs = np.arange(0, x.shape[2], 2) / x.shape[2]
        angle = np.arange(len(x))[:, None, None] * self.config["rope_base"] ** -pairs
        cos, sin = np.cos(angle).astype(np.float32), np.sin(angle).astype(np.float32)
        a, b = np.split(x, 2, axis=2)
        return np.concatenate([a * cos - b * sin, b * cos + a * sin], axis=2)

    def layer(self, x: np.ndarray, name: str) -> np.ndarray:
        """One sandwich layer: causal attention, then SwiGLU."""
        y = self.rms(x, f"{name}.attn.norm")
        heads = (len(x), self.config["num_heads"], self.config["head_dim"])
        q, k, v = (self.linear(y, f"{name}.attn.{m}").reshape(heads) for m in "qkv")
        q, k = (self.rope(self.rms(a, f"{name}.attn.{m}_norm")) for a, m in ((q, "q"), (k, "k")))
        k, v = k.astype(self.kv).astype(np.float32), v.astype(self.kv).astype(np.float32)
        scores = np.einsum("ihd,jhd->hij", q, k) / np.sqrt(np.float32(heads[2]))
        scores = np.where(np.tri(len(x), dtype=bool), scores, -np.inf)
        p = np.exp(scores - scores.max(-1, keepdims=True))
        y = np.einsum("hij,jhd->ihd", p / p.sum(-1, keepdims=True), v).reshape(len(x), -1)
        x = x + self.rms(self.linear(y, f"{name}.attn.o"), f"{name}.attn.post_norm")
        y = self.rms(x, f"{name}.mlp.norm")
        gate, up = self.linear(y, f"{name}.mlp.gate"), self.linear(y, f"{name}.mlp.up")
        y = self.linear(gate / (1 + np.exp(-gate)) * up, f"{name}.mlp.down")
        return x + self.rms(y, f"{name}.mlp.post_norm")

    def states(self, ids: list[int], loops: int) -> list[np.ndarray]:
        """Return the state [tokens, hidden] after each loop."""
        x = self.w["embed.weight"][ids] * np.float32(self.config["embed_scale"])
        for i in range(self.config["num_pre_layers"]):
            x = self.layer(x, f"pre.{i}")
        e = s = self.rms(x, "entry_norm")
        a, b, after = self.w["inject.state_scale"], self.w["inject.input_scale"], []
        for _ in range(loops):
            s = self.rms(self.layer(a * s + b * e, "loop.0"), "loop_norm")
            after.append(s)
        return after

    def logits(self, state: np.ndarray) -> np.ndarray:
        """Return the logits [vocab] of the last position."""
        return self.linear(self.rms(state[-1], "final_norm"), "embed")
