"""Small line plots as SVG for the documentation; text, so that a change can be reviewed."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_COLOURS = ("#1864ab", "#c92a2a", "#2b8a3e", "#e67700", "#862e9c", "#495057")
_LEFT, _TOP, _WIDTH, _HEIGHT = 60, 20, 480, 300  # of the frame, px
_LEGEND_WIDTH = 150
_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class Axis:
    """The label, range and number format of one axis."""

    label: str
    low: float = 0.0
    high: float = 1.0
    number_format: str = ".0%"  # a format specification; percentages by default

    def place(self, value: float) -> float:
        """Position on the axis, 0..1."""
        return (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class Line:
    """Points joined by a line. A name puts it into the legend; a dashed line is a reference."""

    points: Sequence[tuple[float, float]]
    name: str = ""
    dashed: bool = False
    dotted: bool = False  # draw a dot at each point


@dataclass(frozen=True)
class Dot:
    """A point with its name above it."""

    x: float
    y: float
    name: str


def svg(x: Axis, y: Axis, lines: Sequence[Line], dots: Sequence[Dot] = ()) -> str:
    """Draw the plot. Returns the text of the SVG file."""
    named = [line for line in lines if line.name]
    width = _LEFT + _WIDTH + (_LEGEND_WIDTH if named else 20)

    def place(point: tuple[float, float]) -> str:
        return f"{_LEFT + _WIDTH * x.place(point[0]):.1f},{_TOP + _HEIGHT * (1 - y.place(point[1])):.1f}"

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} 370" font-family="sans-serif" font-size="13">',
        f'<rect width="{width}" height="370" fill="white"/>',
        f'<path d="M{_LEFT},{_TOP}V{_TOP + _HEIGHT}H{_LEFT + _WIDTH}" fill="none" stroke="#444"/>',
    ]
    for share in _TICKS:
        across, down = _LEFT + _WIDTH * share, _TOP + _HEIGHT * (1 - share)
        at_x, at_y = (axis.low + share * (axis.high - axis.low) for axis in (x, y))
        parts.append(
            f'<text x="{across:.0f}" y="{_TOP + _HEIGHT + 18}" text-anchor="middle">{at_x:{x.number_format}}</text>'
        )
        parts.append(f'<text x="{_LEFT - 8}" y="{down + 4:.0f}" text-anchor="end">{at_y:{y.number_format}}</text>')
    for number, line in enumerate(lines):
        colour, dashes = ("#868e96", ' stroke-dasharray="5 4"') if line.dashed else (_COLOURS[number % 6], "")
        points = [place(point) for point in line.points]
        parts.append(f'<polyline points="{" ".join(points)}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>')
        for point in points if line.dotted else ():
            across_px, down_px = point.split(",")
            parts.append(f'<circle cx="{across_px}" cy="{down_px}" r="3" fill="{colour}"/>')
        if line.name:
            row = _TOP + 14 + 20 * named.index(line)
            left = _LEFT + _WIDTH + 12
            parts.append(f'<path d="M{left},{row - 4}h18" stroke="{colour}" stroke-width="2"{dashes}/>')
            parts.append(f'<text x="{left + 24}" y="{row}">{escape(line.name)}</text>')
    for dot in dots:
        across_px, down_px = place((dot.x, dot.y)).split(",")
        parts.append(f'<circle cx="{across_px}" cy="{down_px}" r="4" fill="#c92a2a"/>')
        parts.append(
            f'<text x="{across_px}" y="{float(down_px) - 9:.1f}" text-anchor="middle">{escape(dot.name)}</text>'
        )
    parts.append(
        f'<text x="{_LEFT + _WIDTH / 2}" y="{_TOP + _HEIGHT + 40}" text-anchor="middle">{escape(x.label)}</text>'
    )
    parts.append(
        f'<text x="14" y="170" text-anchor="middle" transform="rotate(-90 14 170)">{escape(y.label)}</text></svg>'
    )
    return "\n".join(parts) + "\n"
