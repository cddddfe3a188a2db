"""The likeliest next token, again and again, for several pages at once.

What transformers' own `generate` answers without sampling or beams, token for token; but a page that is finished
leaves the batch, so that a slip of forty tokens does not wait for a bill of seven hundred, and each token says how
sure it is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True)
class GeneratedToken:
    """One token of an answer."""

    token: int
    probability: float
    margin: float  # to the probability of the next best token


@torch.inference_mode()
def greedy_decode(
    model: Any, memory: Tensor, prompt: Sequence[int], longest: int, end: int, never: Sequence[int] = ()
) -> list[list[GeneratedToken]]:
    """Each page's answer, without the prompt and the end.

    model: a VisionEncoderDecoderModel. memory: [B, P, D], its encoder's view of the pages. longest: tokens, the
    prompt included. end: the token that ends an answer. never: tokens that are not spoken.
    """
    from transformers import DynamicCache, EncoderDecoderCache, StaticCache

    # B pages, T tokens, V vocabulary. The pages' keys are written once, those of the tokens where room was kept.
    text = model.decoder.config
    cache = EncoderDecoderCache(StaticCache(config=text, max_cache_len=longest), DynamicCache(config=text))
    answers: list[list[GeneratedToken]] = [[] for _ in memory]
    speaking = torch.arange(len(memory), device=memory.device)  # [B], which page stands in which row
    tokens = torch.tensor([list(prompt)] * len(memory), device=memory.device)  # [B, T]
    for _ in range(longest - len(prompt)):
        said = model(
            encoder_outputs=(memory,), decoder_input_ids=tokens, past_key_values=cache, use_cache=True
        ).logits[:, -1].float()  # [B, V]  # fmt: skip
        said[:, list(never)] = -torch.inf
        tokens = said.argmax(-1, keepdim=True)  # [B, 1]
        best = said.softmax(-1).topk(2).values  # [B, 2]
        for page, token, (first, second) in zip(speaking.tolist(), tokens[:, 0].tolist(), best.tolist(), strict=True):
            if token != end:
                answers[page].append(GeneratedToken(token, first, first - second))
        going = (tokens[:, 0] != end).nonzero()[:, 0]
        if not len(going):
            break
        if len(going) < len(speaking):
            speaking, tokens, memory = speaking[going], tokens[going], memory[going]
            cache.reorder_cache(going)
    return answers
