"""The looped model in PyTorch, for training: documents packed into one row, mixed precision.

The arithmetic is that of the product (sandwich norms, per-head q/k norms, diagonal injection, norm
at every loop's end). Residuals and norms are FP32, products bf16; gradients pass through the last
loops only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from batches import VALUE_CLASSES
from torch import Tensor, nn

INT4_REACH = 7.0  # a group's largest weight lies at this many scales from zero


@dataclass(frozen=True)
class Shape:
    """The sizes of a model; head_dim is hidden / heads."""

    vocab: int
    hidden: int
    heads: int
    inner: int
    pre_layers: int
    positions: int


@dataclass(frozen=True)
class Packed:
    """Documents one behind the other: ``starts`` [documents + 1, padded], ``positions`` [N]."""

    tokens: Tensor
    starts: Tensor
    positions: Tensor


def rms(x: Tensor, weight: Tensor) -> Tensor:
    """RMS norm in FP32 over the last axis."""
    return F.rms_norm(x, (x.shape[-1],), weight, 1e-5)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotary positions, channel i paired with i + half; ``x`` [N, heads, head_dim]."""
    first, second = x.chunk(2, dim=-1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)


def attend(q: Tensor, k: Tensor, v: Tensor, starts: Tensor, longest: int) -> Tensor:
    """Causal attention within each document; q, k, v [N, heads, head_dim]."""
    if q.is_cuda:
        from torch.nn.attention.varlen import varlen_attn

        return varlen_attn(q, k, v, starts, starts, longest, longest, window_size=(-1, 0))
    document = torch.searchsorted(starts, torch.arange(len(q)), right=True)
    mask = (document[:, None] == document[None, :]).tril()
    q, k, v = (x.transpose(0, 1) for x in (q, k, v))
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(0, 1)


def fake_int4(weight: Tensor, group: int) -> Tensor:
    """``weight`` rounded to INT4 in groups along the input; gradients pass straight through."""
    grouped = weight.detach().unflatten(1, (-1, group))
    scale = grouped.abs().amax(dim=2, keepdim=True).clamp_min(1e-8) / INT4_REACH
    rounded = (grouped / scale).round().clamp(-8, 7) * scale
    return weight + (rounded.flatten(1) - weight.detach())


class Layer(nn.Module):
    """Attention and SwiGLU, each normed before and after; matrices are handed in as bf16."""

    def __init__(self, shape: Shape, post_norm: float) -> None:
        super().__init__()
        d, f = shape.hidden, shape.inner
        self.heads, self.longest = shape.heads, shape.positions
        out_scale = 1 / math.sqrt(2 * (shape.pre_layers + 12))
        sizes = {"q": (d, d), "k": (d, d), "v": (d, d), "o": (d, d), "gate": (f, d),
                 "up": (f, d), "down": (d, f)}  # fmt: skip
        self.matrices = nn.ParameterDict(
            {
                name: nn.Parameter(
                    torch.randn(size) * 0.02 * (out_scale if name in ("o", "down") else 1.0)
                )
                for name, size in sizes.items()
            }
        )
        self.attn_norm, self.mlp_norm = (nn.Parameter(torch.ones(d)) for _ in range(2))
        self.attn_post, self.mlp_post = (
            nn.Parameter(torch.full((d,), post_norm)) for _ in range(2)
        )
        self.q_norm, self.k_norm = (nn.Parameter(torch.ones(d // shape.heads)) for _ in range(2))

    def cast(self, group: int) -> dict[str, Tensor]:
        """Return the matrices in bf16, rounded to INT4 first where ``group`` is not 0.

        Those with the same input stand above one another, so that each is one product.
        """
        w = {
            name: (fake_int4(matrix, group) if group else matrix).bfloat16()
            for name, matrix in self.matrices.items()
        }
        return {"qkv": torch.cat((w["q"], w["k"], w["v"])), "o": w["o"],
                "gate_up": torch.cat((w["gate"], w["up"])), "down": w["down"]}  # fmt: skip

    def forward(self, x: Tensor, w: dict[str, Tensor], table: Tensor, starts: Tensor) -> Tensor:
        """One pass over ``x`` [N, hidden], FP32; ``table`` [2, N, 1, head_dim / 2]."""
        y = rms(x, self.attn_norm).bfloat16()
        q, k, v = F.linear(y, w["qkv"]).unflatten(1, (3, self.heads, -1)).unbind(1)
        cos, sin = table[0], table[1]
        q = rotate(rms(q.float(), self.q_norm), cos, sin).bfloat16()
        k = rotate(rms(k.float(), self.k_norm), cos, sin).bfloat16()
        y = attend(q, k, v.contiguous(), starts, self.longest)
        y = F.linear(y.flatten(1), w["o"])
        x = x + rms(y.float(), self.attn_post)
        y = rms(x, self.mlp_norm).bfloat16()
        gate, up = F.linear(y, w["gate_up"]).chunk(2, dim=1)
        y = F.linear(F.silu(gate) * up, w["down"])
        return x + rms(y.float(), self.mlp_post)


class Looped(nn.Module):
    """Pre layers, one looped layer, a tied head, and a head for running values."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        d = shape.hidden
        self.shape = shape
        self.embed = nn.Parameter(torch.randn(shape.vocab, d) * 0.02)
        self.pre = nn.ModuleList(Layer(shape, 1.0) for _ in range(shape.pre_layers))
        self.loop = Layer(shape, 0.3)
        self.entry_norm, self.loop_norm, self.final_norm = (
            nn.Parameter(torch.ones(d)) for _ in range(3)
        )
        self.state_scale = nn.Parameter(torch.full((d,), math.log(0.9 / 0.1)))
        self.input_scale = nn.Parameter(torch.full((d,), 0.3))
        self.value_head = nn.Parameter(torch.randn(VALUE_CLASSES, d) * 0.02)
        self.word_map = nn.Parameter(torch.eye(d))
        self.run: Callable[..., Tensor] = Layer.forward
        self.run_loop: Callable[..., Tensor] = _loop
        half = d // shape.heads // 2
        angles = torch.arange(shape.positions)[:, None] * 10000.0 ** (-torch.arange(half) / half)
        self.register_buffer("rotary", torch.stack((angles.cos(), angles.sin())), persistent=False)

    def compile_layers(self) -> None:
        """Compile what runs at every loop: once for each way in which gradients pass it."""
        self.run = torch.compile(Layer.forward, dynamic=False)
        self.run_loop = torch.compile(_loop, dynamic=False)

    def states(self, batch: Packed, loops: int, through: int, group: int = 0) -> Tensor:
        """Return the state [N, hidden] after ``loops``; gradients pass the last ``through``."""
        table = self.rotary[:, batch.positions, None, :]
        x = F.embedding(batch.tokens, self.embed) * math.sqrt(self.shape.hidden)
        for layer in self.pre:
            x = self.run(layer, x, layer.cast(group), table, batch.starts)
        entry = rms(x, self.entry_norm)
        # A copy: a loop whose two inputs are one tensor would be compiled as a case of its own.
        weights, state = self.loop.cast(group), entry.clone()
        vectors = torch.stack((self.state_scale.sigmoid(), self.input_scale, self.loop_norm))
        for t in range(loops):
            free = t < loops - through
            with torch.set_grad_enabled(torch.is_grad_enabled() and not free):
                state = self.run_loop(
                    self.loop, (state, entry), vectors, weights, table, batch.starts
                )
        return state

    def logits(self, state: Tensor) -> Tensor:
        """Return the logits [rows, vocab] in bf16 of ``state`` [rows, hidden]."""
        return F.linear(rms(state, self.final_norm).bfloat16(), self.embed.bfloat16())

    def values(self, state: Tensor) -> Tensor:
        """Return logits over running values: 100 numbers, then the vocabulary's words."""
        h = rms(state, self.final_norm).bfloat16()
        words = F.linear(F.linear(h, self.word_map.bfloat16()), self.embed.bfloat16())
        return torch.cat((F.linear(h, self.value_head.bfloat16()), words), dim=-1)


def _loop(
    layer: Layer, inputs: tuple[Tensor, Tensor], vectors: Tensor, w: dict[str, Tensor],
    table: Tensor, starts: Tensor,
) -> Tensor:  # fmt: skip
    """Return the next state: the input injected, the layer, the norm at the loop's end."""
    (state, entry), (state_scale, input_scale, norm) = inputs, vectors
    u = state_scale * state + input_scale * entry
    return rms(layer.forward(u, w, table, starts), norm)


def product_parameters(model: Looped) -> dict[str, nn.Parameter]:
    """Return what a model file holds by the product's names; heads of training are not in it."""
    found = {"embed.weight": model.embed, "inject.state_scale": model.state_scale,
             "inject.input_scale": model.input_scale}  # fmt: skip
    for name in ("entry_norm", "loop_norm", "final_norm"):
        found[f"{name}.weight"] = getattr(model, name)
    layers = {f"pre.{i}": layer for i, layer in enumerate(model.pre)} | {"loop.0": model.loop}
    for at, layer in layers.items():
        for name, matrix in layer.matrices.items():
            found[f"{at}.{'attn' if name in 'qkvo' else 'mlp'}.{name}.weight"] = matrix
        vectors = {"attn.norm": layer.attn_norm, "attn.post_norm": layer.attn_post,
                   "mlp.norm": layer.mlp_norm, "mlp.post_norm": layer.mlp_post,
                   "attn.q_norm": layer.q_norm, "attn.k_norm": layer.k_norm}  # fmt: skip
        found |= {f"{at}.{name}.weight": vector for name, vector in vectors.items()}
    return found


def product_tensors(model: Looped) -> dict[str, Tensor]:
    """Return the tensors of a model folder by their names in the product, FP16 and FP32."""
    tensors = {}
    for name, parameter in product_parameters(model).items():
        value = parameter.detach().cpu()
        value = value.sigmoid() if name == "inject.state_scale" else value
        tensors[name] = (value.half() if value.dim() == 2 else value.float()).contiguous()
    return tensors


@torch.no_grad()
def load_product(model: Looped, tensors: dict[str, Tensor]) -> None:
    """Set the weights of ``model`` to those of a model file, in FP32 by the product's names."""
    for name, parameter in product_parameters(model).items():
        value = tensors[name]
        parameter.copy_(value.logit() if name == "inject.state_scale" else value)
