"""What the processor computes natively."""

import os

LIMIT_VARIABLE = "ONEDNN_MAX_CPU_ISA"  # of oneDNN, with which both torch and OpenVINO compute: AVX2, AVX512_CORE, …
_WITH_BFLOAT16 = ("BF16", "FP16", "AMX", "AVX10", "ALL", "DEFAULT")


def has_bfloat16() -> bool:
    """Whether bfloat16 is faster than float32: the processor has its instructions, and no limit forbids them."""
    import torch

    limit = os.environ.get(LIMIT_VARIABLE, "").upper()
    allowed = not limit or any(part in limit for part in _WITH_BFLOAT16)
    return allowed and bool(torch.cpu._is_avx512_bf16_supported())
