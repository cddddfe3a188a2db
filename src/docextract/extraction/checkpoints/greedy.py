"""Batched greedy decoding: generates the likeliest next token until every page of the batch is finished.

The tokens are those of transformers' `generate` without sampling or beams. In addition, a finished page leaves the
batch, so that a receipt of forty tokens does not wait for a bill of seven hundred, and each token has its probability.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True)
class GeneratedToken:
    """One generated token."""

    token: int
    probability: float
    margin: float  # its probability minus that of the second likeliest token


@torch.inference_mode()
def greedy_decode(
    model: Any, memory: Tensor, prompt: Sequence[int], max_length: int, end: int, forbidden: Sequence[int] = ()
) -> list[list[GeneratedToken]]:
    """Return the generated tokens of each page in input order, without the prompt and the end token.

    model: a VisionEncoderDecoderModel. memory: [B, P, D], the output of its encoder. max_length: in tokens, including
    the prompt. end: the token that ends a sequence. forbidden: tokens that are never generated.
    """
    from transformers import DynamicCache, EncoderDecoderCache, StaticCache

    # B pages, P patches, D width, T tokens, V vocabulary. Cross-attention keys are computed once; space for those of
    # the tokens is reserved.
    config = model.decoder.config
    cache = EncoderDecoderCache(StaticCache(config=config, max_cache_len=max_length), DynamicCache(config=config))
    generated: list[list[GeneratedToken]] = [[] for _ in memory]
    unfinished = torch.arange(len(memory), device=memory.device)  # [B], the page of each row of the batch
    tokens = torch.tensor([list(prompt)] * len(memory), device=memory.device)  # [B, T]
    for _ in range(max_length - len(prompt)):
        logits = model(
            encoder_outputs=(memory,), decoder_input_ids=tokens, past_key_values=cache, use_cache=True
        ).logits[:, -1].float()  # [B, V]  # fmt: skip
        logits[:, list(forbidden)] = -torch.inf
        tokens = logits.argmax(-1, keepdim=True)  # [B, 1]
        best = logits.softmax(-1).topk(2).values  # [B, 2]
        for page, token, (first, second) in zip(unfinished.tolist(), tokens[:, 0].tolist(), best.tolist(), strict=True):
            if token != end:
                generated[page].append(GeneratedToken(token, first, first - second))
        rows = (tokens[:, 0] != end).nonzero()[:, 0]
        if not len(rows):
            break
        if len(rows) < len(unfinished):
            unfinished, tokens, memory = unfinished[rows], tokens[rows], memory[rows]
            cache.reorder_cache(rows)
    return generated
