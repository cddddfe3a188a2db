"""Building blocks of the quality network."""

from torch import Tensor, nn
from torch.nn import functional as F


class ConvolutionBlock(nn.Sequential):
    """Convolution, batch norm, ReLU."""

    def __init__(self, inner: int, outer: int, kernel: int = 3, stride: int = 1) -> None:
        super().__init__(
            nn.Conv2d(inner, outer, kernel, stride, kernel // 2, bias=False),
            nn.BatchNorm2d(outer),
            nn.ReLU(inplace=True),
        )


class ResidualBlock(nn.Module):
    """Two convolutions with a residual connection."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            ConvolutionBlock(width, width), nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width)
        )

    def forward(self, x: Tensor) -> Tensor:
        """x: [B, D, h, w]; returns the same shape."""
        return F.relu(x + self.body(x))
