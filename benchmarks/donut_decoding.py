"""A Donut's answers, token by token: our decoder for several pages at once beside transformers' plain `generate`.

    python -m benchmarks.donut_decoding [--pages 8] [--tokens 128]    one JSON line

The same weights for both, made at random, with the shape of a small Donut (`decoder`); so answers go on until there is
no more room, and no page leaves the batch early, which would be to our advantage. Only decoding is timed: the encoder
sees one page after another in either case. Raises AssertionError if the two do not say the same.
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from docextract.extraction.checkpoints.greedy import greedy

PAGES, TOKENS = 8, 128
PATCHES = 30 * 23  # of a page of 960 x 736 px
WIDTH = 384
VOCABULARY = 20_000
PROMPT, NEVER, END = 5, 3, 2  # ids


@dataclass(frozen=True)
class Decoded:
    """Seconds for all pages together."""

    pages: int
    tokens: int  # of each page's answer
    parameters: int  # of the decoder
    generate_s: float  # one page after another, as everybody writes it first
    generate_batch_s: float  # all pages at once
    ours_s: float
    same: bool  # all three said the same

    @property
    def times_faster(self) -> float:
        """Than `generate` for one page after another."""
        return self.generate_s / self.ours_s


def decoder(longest: int) -> Any:
    """A VisionEncoderDecoderModel whose encoder is too small to matter and is not asked."""
    from transformers import DonutSwinConfig, MBartConfig, VisionEncoderDecoderConfig, VisionEncoderDecoderModel

    torch.manual_seed(0)
    encoder = DonutSwinConfig(image_size=[64, 64], embed_dim=WIDTH // 2, depths=[1, 1], num_heads=[2, 2], window_size=4)
    said = MBartConfig(
        vocab_size=VOCABULARY, d_model=WIDTH, decoder_layers=4, decoder_attention_heads=8, decoder_ffn_dim=4 * WIDTH,
        max_position_embeddings=longest, is_decoder=True, is_encoder_decoder=False, add_cross_attention=True,
        scale_embedding=True, add_final_layer_norm=True, dropout=0.0, forced_eos_token_id=None, init_std=0.2,
    )  # fmt: skip
    config = VisionEncoderDecoderConfig.from_encoder_decoder_configs(encoder, said)
    return VisionEncoderDecoderModel(config).eval()


@torch.inference_mode()
def measure(pages: int = PAGES, tokens: int = TOKENS) -> Decoded:
    """All three ways, each once to get warm and once by the clock."""
    longest = tokens + 1
    model = decoder(longest)
    memory = torch.randn(pages, PATCHES, WIDTH, generator=torch.Generator().manual_seed(1))  # [B, P, D]

    def generate(some: Tensor) -> list[list[int]]:
        said = model.generate(
            encoder_outputs=(some,), decoder_input_ids=torch.full((len(some), 1), PROMPT), max_length=longest,
            num_beams=1, do_sample=False, bad_words_ids=[[NEVER]], eos_token_id=END, pad_token_id=1,
        )  # fmt: skip
        return [row[1:] for row in said.tolist()]

    def ours(some: Tensor) -> list[list[int]]:
        return [[one.token for one in answer] for answer in greedy(model, some, [PROMPT], longest, END, [NEVER])]

    def one_by_one(some: Tensor) -> list[list[int]]:
        return [generate(page[None])[0] for page in some]

    plain, batch, mine = (_timed(way, memory) for way in (one_by_one, generate, ours))
    parameters = sum(part.numel() for part in model.decoder.parameters())
    same = plain[1] == batch[1] == mine[1]
    return Decoded(pages, tokens, parameters, plain[0], batch[0], mine[0], same)


def _timed(way: Callable[[Tensor], list[list[int]]], memory: Tensor) -> tuple[float, Sequence[Sequence[int]]]:
    way(memory[:1])
    start = time.perf_counter()
    said = way(memory)
    return time.perf_counter() - start, said


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: see the top of the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--tokens", type=int, default=TOKENS, help="of each answer")
    options = parser.parse_args(arguments)
    print(json.dumps(asdict(measure(options.pages, options.tokens))))


if __name__ == "__main__":
    main()
