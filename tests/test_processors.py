"""Which arithmetic a processor gets."""

import pytest
import torch

from docextract.processors import LIMIT_VARIABLE, has_bfloat16


@pytest.mark.parametrize(
    ("limit", "native", "expected"),
    [
        (None, True, True), (None, False, False), ("AVX2", True, False), ("AVX512_CORE", True, False),
        ("avx512_core_bf16", True, True), ("AVX512_CORE_AMX", True, True), ("DEFAULT", True, True),
    ],
)  # fmt: skip
def test_bfloat16_needs_its_instructions_and_no_limit_below_them(monkeypatch, limit, native, expected):
    """Emulated, it is five times slower than native, and twice as slow as float32."""
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: native)
    monkeypatch.delenv(LIMIT_VARIABLE, raising=False)
    if limit:
        monkeypatch.setenv(LIMIT_VARIABLE, limit)

    assert has_bfloat16() is expected
