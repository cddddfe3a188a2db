"""A Donut in the published format, small enough for tests, that has memorised four pages."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import (
    DonutSwinConfig,
    MBartConfig,
    VisionEncoderDecoderConfig,
    VisionEncoderDecoderModel,
    XLMRobertaTokenizer,
)
from transformers.models.donut.image_processing_pil_donut import DonutImageProcessorPil

PROMPT = "<s_cord-v2>"
KEYS = ("menu", "nm", "num", "cnt", "unitprice", "price", "sub_total", "subtotal_price", "tax_price", "total",
        "total_price", "changeprice", "table")  # fmt: skip
MAX_LENGTH = 56
HEIGHT, WIDTH = 64, 48
TRUTHS = (
    "<s_menu><s_nm>Tea</s_nm><s_cnt>2</s_cnt><s_price>3.00</s_price><sep/><s_nm>Green bun</s_nm></s_menu>"
    "<s_total><s_total_price>4.50</s_total_price></s_total>",
    "<s_total><s_total_price>12.00</s_total_price></s_total>",
    "<s_menu><s_nm>Rice</s_nm><s_price>none</s_price></s_menu><s_sub_total><s_tax_price>0.70</s_tax_price></s_sub_total>",
    "<s_table>7</s_table>",
)


def pages() -> list[Any]:
    """Return one page of noise for each of TRUTHS; always the same."""
    rng = np.random.default_rng(0)
    return [rng.integers(0, 255, (HEIGHT, WIDTH, 3), dtype=np.uint8) for _ in TRUTHS]


def make_tokenizer() -> Any:
    """Return a tokenizer of the published class, XLM-RoBERTa's, with a token for each letter."""
    plain = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -2.0)]
    letters = [(letter, -3.0) for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.,:/-"]
    tokenizer = XLMRobertaTokenizer(vocab=[*plain, *letters])
    brackets = [bracket for key in KEYS for bracket in (f"<s_{key}>", f"</s_{key}>")]
    tokenizer.add_tokens(["<sep/>", *brackets, PROMPT], special_tokens=True)
    return tokenizer


def processor() -> Any:
    """Return the image processor for pages of HEIGHT x WIDTH px."""
    return DonutImageProcessorPil(size={"height": HEIGHT, "width": WIDTH})


def network(vocabulary: int) -> Any:
    """Return a random network: two stages of a Swin, two layers of a BART.

    As in public checkpoints, encoder_layers of the decoder has no effect.
    """
    torch.manual_seed(0)
    encoder = DonutSwinConfig(
        image_size=[HEIGHT, WIDTH], embed_dim=16, depths=[1, 1], num_heads=[2, 2], window_size=4, drop_path_rate=0.0
    )
    decoder = MBartConfig(
        vocab_size=vocabulary, d_model=32, encoder_layers=5, decoder_layers=2, decoder_attention_heads=4,
        decoder_ffn_dim=64, max_position_embeddings=MAX_LENGTH, is_decoder=True, is_encoder_decoder=False,
        add_cross_attention=True, scale_embedding=True, add_final_layer_norm=True, dropout=0.0, attention_dropout=0.0,
        init_std=0.3,  # with BART's own 0.02, so small a network gives the same output for every page
    )  # fmt: skip
    config = VisionEncoderDecoderConfig.from_encoder_decoder_configs(encoder, decoder)
    return VisionEncoderDecoderModel(config).eval()


def memorised(tokenizer: Any) -> Any:
    """Train the decoder on TRUTHS, with a random encoder."""
    model = network(len(tokenizer))
    with torch.no_grad():
        memory = model.encoder(processor()(images=pages(), return_tensors="pt").pixel_values).last_hidden_state
    answers = [tokenizer(f"{PROMPT}{truth}</s>", add_special_tokens=False).input_ids for truth in TRUTHS]
    padded = torch.full((len(answers), max(map(len, answers))), tokenizer.pad_token_id)
    for row, answer in zip(padded, answers, strict=True):
        row[: len(answer)] = torch.tensor(answer)
    optimizer = torch.optim.AdamW(model.decoder.parameters(), lr=5e-3)
    for _ in range(100):
        logits = model.decoder(input_ids=padded[:, :-1], encoder_hidden_states=memory).logits
        loss = torch.nn.functional.cross_entropy(
            logits.flatten(0, 1), padded[:, 1:].flatten(), ignore_index=tokenizer.pad_token_id
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if loss < 0.03:
            return model
    raise AssertionError(f"four pages were not memorised; loss {loss:.3f}")


def save_checkpoint(folder: Path, model: Any, tokenizer: Any) -> Path:
    """Write the checkpoint as it would be published."""
    for part in (model, processor(), tokenizer):
        part.save_pretrained(folder)
    return folder
