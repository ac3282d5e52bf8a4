"""Which kernels each compiled program holds, and what they are called once loaded."""

from __future__ import annotations

from engine.backends.cuda.compiler import LINEAR_PROGRAMS, Source

ENTRIES: dict[str, tuple[str, ...]] = {
    "rows": ("stage_rows", "quantise_heads", "quantise_inner"),
    "linear_decode": ("row_linear", "row_swiglu", "row_head", "heads_linear", "inner_linear"),
    "linear_prefill": ("rows_linear", "swiglu_rows", "heads_rows", "inner_rows"),
    "attention_decode": ("attend_token", "attend_token_bands"),
    "attention_prefill": ("rotate_rows", "attend_rows"),
    "sample": ("pick_best", "sample_token"),
    "divergence": ("divergence",),
}
ADAPTER_ENTRIES = {"linear_decode": "row_adapter", "linear_prefill": "adapter_rows"}


def entries(source: Source) -> dict[str, str]:
    """Return name -> entry of a program; linears are named by their weights' kind as well."""
    names = list(ENTRIES[source.program])
    if source.shapes.config.injection == "linear" and source.program in ADAPTER_ENTRIES:
        names.append(ADAPTER_ENTRIES[source.program])
    if source.program not in LINEAR_PROGRAMS:
        return {name: name for name in names}
    kind = "int4" if source.int4 else "fp16"
    return {f"{name}_{kind}": name for name in names}


def stream_bytes(source: Source) -> int:
    """Return the dynamic shared memory every kernel of a program is launched with."""
    return source.shapes.stream_bytes(source.arch) if source.program == "linear_decode" else 0
