"""Pages with measurements name what their speed depends on."""

import pytest

from benchmarks.environment import describe_processor


@pytest.mark.parametrize(
    ("flags", "described"),
    [
        ("fpu avx2 avx512f avx512_bf16 amx_bf16 amx_tile", "Xeon with AMX and bfloat16 and AVX-512 and AVX2"),
        ("fpu avx2", "Xeon with AVX2"),
        ("fpu sse4_2", "Xeon with no AVX2"),
    ],
)
def test_features_of_the_processor_are_named(flags, described):
    """Ratios of processors with and without bfloat16 cannot be compared."""
    assert describe_processor(f"processor : 0\nmodel name\t: Xeon\nflags\t\t: {flags}\n") == described


def test_a_processor_without_a_name_is_described():
    """Other architectures have no such lines."""
    assert describe_processor("Features : asimd") == "unknown processor with no AVX2"
