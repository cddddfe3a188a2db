"""Lightness as people perceive it, CIE L*: the unit in which paper, ink and exposure are measured."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def lightness(rgb: ArrayLike) -> NDArray[np.float64]:
    """Convert sRGB [..., 3], 0..255, to L* [...], 0..100."""
    encoded = np.clip(np.asarray(rgb, np.float64) / 255.0, 0.0, 1.0)
    linear = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    luminance: NDArray[Any] = linear @ np.array([0.2126, 0.7152, 0.0722])
    return np.where(luminance > 0.008856, 116.0 * np.cbrt(luminance) - 16.0, 903.3 * luminance)
