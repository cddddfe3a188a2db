"""Which arithmetic a processor gets."""

import pytest
import torch

from docextract import processors
from docextract.processors import LIMIT_VARIABLE, has_fast_bfloat16

AMX, AMD, INTEL, OLD = (True, True, "GenuineIntel"), (False, True, "AuthenticAMD"), (False, True, "GenuineIntel"), (
    False, False, "AuthenticAMD",
)  # fmt: skip


@pytest.mark.parametrize(
    ("limit", "processor", "expected"),
    [
        (None, AMX, True), (None, AMD, True), (None, INTEL, False), (None, OLD, False),
        ("AVX2", AMX, False), ("AVX512_CORE", AMD, False), ("avx512_core_bf16", AMD, True),
        ("AVX512_CORE_BF16", AMX, False), ("AVX512_CORE_AMX", AMX, True), ("DEFAULT", AMX, True), ("ALL", AMD, True),
    ],
)  # fmt: skip
def test_bfloat16_needs_fast_instructions_and_no_limit_below_them(monkeypatch, tmp_path, limit, processor, expected):
    """Emulated, it is five times slower than native; Intel's vector instructions are slower than those of float32."""
    has_matrix_units, has_vector_instructions, vendor = processor
    info = tmp_path / "cpuinfo"
    info.write_text(f"processor : 0\nvendor_id : {vendor}\n")
    monkeypatch.setattr(processors, "_CPU_INFO", info)
    monkeypatch.setattr(torch.cpu, "_is_amx_tile_supported", lambda: has_matrix_units)
    monkeypatch.setattr(torch.cpu, "_init_amx", lambda: True)
    monkeypatch.setattr(torch.cpu, "_is_avx512_bf16_supported", lambda: has_vector_instructions)
    monkeypatch.delenv(LIMIT_VARIABLE, raising=False)
    if limit:
        monkeypatch.setenv(LIMIT_VARIABLE, limit)

    assert has_fast_bfloat16.__wrapped__() is expected  # without its cache
