"""Compare the speed of the project's batched greedy Donut decoder with the `generate` method of transformers.

    python -m benchmarks.donut_decoding [--pages 8] [--tokens 128]    one JSON line

Both use the same random weights, in the shape of a small Donut (`random_decoder`). With random weights every answer
runs to the maximum length, so no page leaves the batch early; early ends would favour the project's decoder. Only
decoding is timed, because the encoder processes one page after another in both cases.
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor

from docextract.extraction.checkpoints.greedy import greedy_decode

DEFAULT_PAGES, DEFAULT_TOKENS = 8, 128
PATCH_COUNT = 30 * 23  # of a page of 960 x 736 px
WIDTH = 384
VOCABULARY_SIZE = 20_000
PROMPT_ID, FORBIDDEN_ID, END_ID = 5, 3, 2


@dataclass(frozen=True)
class DecodingTimes:
    """Result: seconds for all pages together."""

    pages: int
    tokens: int  # of each page's answer
    parameters: int  # of the decoder
    generate_s: float  # one page after another, the usual first implementation
    generate_batch_s: float  # all pages at once
    batched_greedy_s: float
    equal_tokens: bool  # all three decoders returned the same tokens

    @property
    def speedup(self) -> float:
        """Speed-up over `generate` with one page after another."""
        return self.generate_s / self.batched_greedy_s


def random_decoder(max_length: int) -> Any:
    """Return a VisionEncoderDecoderModel with random weights; its tiny encoder is never called."""
    from transformers import DonutSwinConfig, MBartConfig, VisionEncoderDecoderConfig, VisionEncoderDecoderModel

    torch.manual_seed(0)
    encoder = DonutSwinConfig(image_size=[64, 64], embed_dim=WIDTH // 2, depths=[1, 1], num_heads=[2, 2], window_size=4)
    decoder = MBartConfig(
        vocab_size=VOCABULARY_SIZE, d_model=WIDTH, decoder_layers=4, decoder_attention_heads=8,
        decoder_ffn_dim=4 * WIDTH, max_position_embeddings=max_length, is_decoder=True, is_encoder_decoder=False,
        add_cross_attention=True, scale_embedding=True, add_final_layer_norm=True, dropout=0.0,
        forced_eos_token_id=None, init_std=0.2,
    )  # fmt: skip
    config = VisionEncoderDecoderConfig.from_encoder_decoder_configs(encoder, decoder)
    return VisionEncoderDecoderModel(config).eval()


@torch.inference_mode()
def measure(pages: int = DEFAULT_PAGES, tokens: int = DEFAULT_TOKENS) -> DecodingTimes:
    """Time the three decoders. Each runs once as warm-up and once for the measurement."""
    max_length = tokens + 1
    model = random_decoder(max_length)
    memory = torch.randn(pages, PATCH_COUNT, WIDTH, generator=torch.Generator().manual_seed(1))  # [B, P, D]

    def generate(pages_memory: Tensor) -> list[list[int]]:
        tokens_by_page = model.generate(
            encoder_outputs=(pages_memory,), decoder_input_ids=torch.full((len(pages_memory), 1), PROMPT_ID),
            max_length=max_length, num_beams=1, do_sample=False, bad_words_ids=[[FORBIDDEN_ID]], eos_token_id=END_ID,
            pad_token_id=1,
        )  # fmt: skip
        return [row[1:] for row in tokens_by_page.tolist()]

    def batched_greedy(pages_memory: Tensor) -> list[list[int]]:
        answers = greedy_decode(model, pages_memory, [PROMPT_ID], max_length, END_ID, [FORBIDDEN_ID])
        return [[one.token for one in answer] for answer in answers]

    def one_by_one(pages_memory: Tensor) -> list[list[int]]:
        return [generate(page[None])[0] for page in pages_memory]

    one_by_one_run, batch_run, greedy_run = (
        _timed(decode, memory) for decode in (one_by_one, generate, batched_greedy)
    )
    parameters = sum(part.numel() for part in model.decoder.parameters())
    equal_tokens = one_by_one_run[1] == batch_run[1] == greedy_run[1]
    return DecodingTimes(pages, tokens, parameters, one_by_one_run[0], batch_run[0], greedy_run[0], equal_tokens)


def _timed(decode: Callable[[Tensor], list[list[int]]], memory: Tensor) -> tuple[float, Sequence[Sequence[int]]]:
    decode(memory[:1])
    start = time.perf_counter()
    tokens_by_page = decode(memory)
    return time.perf_counter() - start, tokens_by_page


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=DEFAULT_PAGES)
    parser.add_argument("--tokens", type=int, default=DEFAULT_TOKENS, help="of each answer")
    options = parser.parse_args(arguments)
    print(json.dumps(asdict(measure(options.pages, options.tokens))))


if __name__ == "__main__":
    main()
