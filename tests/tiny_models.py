"""Small random models of every shape for tests: one config function, one writer."""

from __future__ import annotations

import dataclasses
import functools
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import sentencepiece
from numpy.typing import NDArray
from safetensors.numpy import save_file

from engine.config import ChatTemplate, ModelConfig
from engine.quantize import quantize_int4
from engine.tensor_names import expected_tensors, quantisable
from engine.weights import ModelInfo
from engine.weights_writer import write_model_file

SENTENCES = (
    "What is 7 + 5 - 3 ?",
    "Amy has 3 pears. Bob gives 2 pears to Cara. How many pears does Amy have now?",
    "You face north. Turn left. Turn around. Which way do you face?",
)
TINY = ModelConfig(
    vocab_size=300,
    hidden_size=32,
    num_heads=4,
    num_kv_heads=4,
    head_dim=8,
    intermediate_size=64,
    num_pre_layers=2,
    num_loop_layers=1,
    num_post_layers=0,
    max_seq_len=512,
    rope_base=10000.0,
    rope_scaling=None,
    norm_eps=1e-5,
    norm_style="sandwich",
    qk_norm="per_head",
    mlp="swiglu",
    injection="diagonal",
    entry_norm=True,
    initial_state="input",
    loop_exit_norm=True,
    embed_scale=5.0,
    tied_head=True,
    trained_loops=(1, 8),
    efforts=(2, 4, 8),
    max_loops=16,
    bos_id=1,
    stop_ids=(2, 5),
    chat_template=ChatTemplate(start=(1,), user=(3,), assistant=(4,), end=(5,)),
)


def tiny_config(**changes: Any) -> ModelConfig:
    """Return the config of a small model like the bundled one, with ``changes``.

    ``quantization=Quantization(4, 32)`` makes the layers' matrices INT4.
    """
    return dataclasses.replace(TINY, **changes)


def write_tiny_model(
    path: Path, config: ModelConfig = TINY, seed: int = 0, dtype: type = np.float16
) -> Path:
    """Write a model file with random weights of sane scale and return its path.

    ``dtype`` (float16 or float32) is that of the matrices which are not INT4.
    """
    info = ModelInfo(name="tiny", license="Apache-2.0", source="random weights for tests")
    write_model_file(path, config, info, tiny_tensors(config, seed, dtype), tiny_tokenizer())
    return path


def tiny_tensors(
    config: ModelConfig, seed: int = 0, dtype: type = np.float16
) -> dict[str, NDArray[Any]]:
    """Return random tensors for every name that ``config`` asks for."""
    random = np.random.default_rng(seed)
    tensors: dict[str, NDArray[Any]] = {}
    for name, spec in expected_tensors(config).items():
        if len(spec.shape) == 1:
            tensors[name] = _vector(name, spec.shape[0], random)
            continue
        matrix = random.standard_normal(spec.shape, dtype=np.float32)
        matrix *= 0.3 if name == "embed.weight" else 1.2 / np.sqrt(spec.shape[1])
        group = config.quantization.group if config.quantization else 0
        if group and quantisable(name, spec, group):
            base = name.removesuffix(".weight")
            tensors[f"{base}.qweight"], tensors[f"{base}.scales"] = quantize_int4(matrix, group)
        else:
            tensors[name] = matrix.astype(dtype)
    return tensors


@functools.cache
def write_trained(folder: Path, config: ModelConfig) -> None:
    """Fill ``folder`` as training does: config, FP16 weights, tokenizer."""
    folder.mkdir()
    fields = dataclasses.asdict(config)
    del fields["quantization"]
    (folder / "config.json").write_text(json.dumps(fields))
    (folder / "tokenizer.model").write_bytes(tiny_tokenizer())
    save_file(tiny_tensors(config), folder / "model.safetensors")


def tiny_tokenizer() -> bytes:
    """Return a sentencepiece model of 300 pieces: all bytes, chat marks 3, 4, 5, some words."""
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SENTENCES),
        model_writer=model,
        model_type="bpe",
        vocab_size=300,
        byte_fallback=True,
        split_digits=True,
        normalization_rule_name="identity",
        remove_extra_whitespaces=False,
        control_symbols=["<|user|>", "<|assistant|>", "<|end|>"],
        minloglevel=2,
    )
    return model.getvalue()


def _vector(name: str, length: int, random: np.random.Generator) -> NDArray[np.float32]:
    """Norm weights near 1, small biases, an injection that keeps most of the state."""
    noise = random.standard_normal(length, dtype=np.float32)
    if name.endswith(".bias"):
        return 0.2 * noise
    centre = {"inject.state_scale": 0.7, "inject.input_scale": 0.4}.get(name, 1.0)
    return np.float32(centre) * (1 + np.float32(0.1) * noise)
