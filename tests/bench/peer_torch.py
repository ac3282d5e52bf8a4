"""The seed-407m shape in PyTorch, one CUDA graph a token: what the CUDA backend is held against.

Prints one JSON line: microseconds a token at position 128 for each number of loops, in bf16 and
in INT4 (tinygemm, group 128), layers compiled by torch.compile. Needs torch; the product does not.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable

import torch
import torch.nn.functional as F

D, HEADS, FFN, VOCAB, GROUP, POSITION, LENGTH = 2048, 16, 5632, 61696, 128, 128, 256
DEVICE, KIND = "cuda", torch.bfloat16
Linear = Callable[[torch.Tensor], torch.Tensor]


def dense(out: int, inputs: int) -> Linear:
    weight = torch.randn(out, inputs, device=DEVICE, dtype=KIND) / inputs**0.5
    return lambda x: F.linear(x, weight)


def tinygemm(out: int, inputs: int) -> Linear:
    packed = torch.randint(0, 256, (out, inputs // 2), device=DEVICE, dtype=torch.uint8)
    weight = torch.ops.aten._convert_weight_to_int4pack(packed, 8)
    scales = torch.empty(inputs // GROUP, out, 2, device=DEVICE, dtype=KIND)
    scales[..., 0], scales[..., 1] = 0.2 / inputs**0.5, 0
    return lambda x: torch.ops.aten._weight_int4pack_mm(x, weight, GROUP, scales)


def norm(x: torch.Tensor) -> torch.Tensor:
    wide = x.float()
    return (wide * torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + 1e-5)).to(KIND)


def layer(make: Callable[[int, int], Linear]) -> Callable[..., torch.Tensor]:
    qkv, o = make(3 * D, D), make(D, D)
    gate_up, down = make(2 * FFN, D), make(D, FFN)
    cos = torch.rand(D // HEADS, device=DEVICE, dtype=KIND)

    def run(x: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, at: torch.Tensor,
            mask: torch.Tensor) -> torch.Tensor:  # fmt: skip
        q, k, v = qkv(norm(x)).view(3, HEADS, 1, D // HEADS).unbind(0)
        q = q * cos + q.roll(D // HEADS // 2, -1) * cos
        k = k * cos + k.roll(D // HEADS // 2, -1) * cos
        keys.index_copy_(1, at, k)
        values.index_copy_(1, at, v)
        y = F.scaled_dot_product_attention(q[None], keys[None], values[None], attn_mask=mask)
        x = x + o(y.reshape(1, D))
        gate, up = gate_up(norm(x)).chunk(2, -1)
        return x + down(F.silu(gate) * up)

    return torch.compile(run, dynamic=False)


def microseconds(make: Callable[[int, int], Linear], loops: int) -> float:
    """Time one token: two layers, ``loops`` times the shared one, the head's arg-max."""
    embed = torch.randn(VOCAB, D, device=DEVICE, dtype=KIND)
    first, second, shared, head = layer(make), layer(make), layer(make), make(VOCAB, D)
    shape = (loops + 2, 2, HEADS, LENGTH, D // HEADS)
    cache = torch.randn(shape, device=DEVICE, dtype=KIND)
    token = torch.zeros(1, device=DEVICE, dtype=torch.long)
    at = torch.full((1,), POSITION, device=DEVICE)
    mask = (torch.arange(LENGTH, device=DEVICE) <= POSITION)[None, None, None, :]

    def step() -> None:
        x = embed[token]
        for slot in range(loops + 2):
            run = first if slot == 0 else second if slot == 1 else shared
            x = run(x, cache[slot, 0], cache[slot, 1], at, mask)
        token.copy_(head(norm(x)).argmax(-1))

    with torch.no_grad():
        for _ in range(3):
            step()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        for turn in range(60):
            if turn == 10:
                begin.record()
            graph.replay()
        end.record()
        torch.cuda.synchronize()
    return float(begin.elapsed_time(end) * 1e3 / 50)


def main() -> None:
    depths = [int(n) for n in sys.argv[1:]] or [8, 32]
    kinds = {"bf16_us": dense, "int4_us": tinygemm}
    figures = {name: {n: microseconds(make, n) for n in depths} for name, make in kinds.items()}
    print(json.dumps({"torch": torch.__version__, **figures}))


if __name__ == "__main__":
    main()
