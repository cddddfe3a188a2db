"""The typefaces a printer may set a sheet in: those of the list below that this machine has.

A list and not whatever is installed, since symbol fonts and scripts would print pages nobody could read. With
none of them installed everything is set in the font that Pillow carries, so that tests and a fresh machine print
too. Which fonts are installed is part of what a seed means: the same seed gives the same page only with the same fonts.
"""

import os
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Literal

from PIL import ImageFont

from training.synth.sheet import Face

FOLDERS = (
    "/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/texmf/fonts/opentype", "~/.fonts", "~/.local/share/fonts",
    "/Library/Fonts", "/System/Library/Fonts", "C:/Windows/Fonts",
)  # fmt: skip

# Regular and bold file names. The same name twice: the printer thickens it for bold. Debian: the fonts-* packages.
FAMILIES: dict[Face, tuple[tuple[str, str], ...]] = {
    "mono": (
        ("LiberationMono-Regular.ttf", "LiberationMono-Bold.ttf"),
        ("DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf"),
        ("FreeMonoBold.ttf", "FreeMonoBold.ttf"),
        ("Courier Prime.otf", "Courier Prime Bold.otf"),
        ("Courier Prime Sans.otf", "Courier Prime Sans Bold.otf"),
        ("OCRB.otf", "OCRB.otf"),
        ("OCRA.ttf", "OCRABold.ttf"),
        ("Inconsolata.otf", "Inconsolata.otf"),
        ("Hack-Regular.ttf", "Hack-Bold.ttf"),
        ("NotoSansMono-Regular.ttf", "NotoSansMono-Bold.ttf"),
        ("FiraCode-Regular.ttf", "FiraCode-Bold.ttf"),
        ("Anonymous Pro.ttf", "Anonymous Pro B.ttf"),
        ("B612Mono-Regular.otf", "B612Mono-Bold.otf"),
        ("JetBrainsMono-Regular.ttf", "JetBrainsMono-Bold.ttf"),
        ("mononoki-Regular.ttf", "mononoki-Bold.ttf"),
        ("LeagueMono-NarrowRegular.otf", "LeagueMono-NarrowBold.otf"),
        ("LeagueMono-Medium.otf", "LeagueMono-Bold.otf"),
        ("Go-Mono.ttf", "Go-Mono-Bold.ttf"),
        ("TlwgMono.ttf", "TlwgMono-Bold.ttf"),
        ("TlwgTypewriter-Bold.ttf", "TlwgTypewriter-Bold.ttf"),
        ("NimbusMonoPS-Bold.otf", "NimbusMonoPS-Bold.otf"),
        ("monof55.ttf", "monof55.ttf"),
        ("FantasqueSansMono-Regular.ttf", "FantasqueSansMono-Bold.ttf"),
        ("Monoid-Regular.ttf", "Monoid-Bold.ttf"),
        ("GNUTypewriter.ttf", "GNUTypewriter.ttf"),
        ("texgyrecursor-bold.otf", "texgyrecursor-bold.otf"),
        ("lmmono10-regular.otf", "lmmonolt10-bold.otf"),
        ("DotGothic16-Regular.ttf", "DotGothic16-Regular.ttf"),
        ("Menlo.ttc", "Menlo.ttc"),
        ("consola.ttf", "consolab.ttf"),
        ("cour.ttf", "courbd.ttf"),
    ),
    "sans": (
        ("LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf"),
        ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf"),
        ("FreeSans.ttf", "FreeSansBold.ttf"),
        ("NimbusSans-Regular.otf", "NimbusSans-Bold.otf"),
        ("Roboto-Regular.ttf", "Roboto-Bold.ttf"),
        ("Lato-Regular.ttf", "Lato-Bold.ttf"),
        ("OpenSans-Regular.ttf", "OpenSans-Bold.ttf"),
        ("Karla-Regular.otf", "Karla-Bold.otf"),
        ("Cantarell-Regular.otf", "Cantarell-Bold.otf"),
        ("B612-Regular.otf", "B612-Bold.otf"),
        ("Go-Regular.ttf", "Go-Bold.ttf"),
        ("Carlito-Regular.ttf", "Carlito-Bold.ttf"),
        ("Play-Regular.ttf", "Play-Bold.ttf"),
        ("Quicksand-Medium.ttf", "Quicksand-Bold.ttf"),
        ("LinBiolinum_R.otf", "LinBiolinum_RB.otf"),
        ("lmsans10-regular.otf", "lmsans10-bold.otf"),
        ("URWGothic-Book.otf", "URWGothic-Demi.otf"),
        ("Arial.ttf", "Arial Bold.ttf"),
        ("arial.ttf", "arialbd.ttf"),
    ),
    "serif": (
        ("LiberationSerif-Regular.ttf", "LiberationSerif-Bold.ttf"),
        ("DejaVuSerif.ttf", "DejaVuSerif-Bold.ttf"),
        ("FreeSerif.ttf", "FreeSerifBold.ttf"),
        ("NimbusRoman-Regular.otf", "NimbusRoman-Bold.otf"),
        ("C059-Roman.otf", "C059-Bold.otf"),
        ("P052-Roman.otf", "P052-Bold.otf"),
        ("URWBookman-Light.otf", "URWBookman-Demi.otf"),
        ("Caladea-Regular.ttf", "Caladea-Bold.ttf"),
        ("GentiumPlus-Regular.ttf", "GentiumPlus-Bold.ttf"),
        ("LinLibertine_R.otf", "LinLibertine_RB.otf"),
        ("RobotoSlab-Regular.otf", "RobotoSlab-Bold.otf"),
        ("lmroman10-regular.otf", "lmroman10-bold.otf"),
        ("times.ttf", "timesbd.ttf"),
    ),
    "condensed": (
        ("RobotoCondensed-Regular.ttf", "RobotoCondensed-Bold.ttf"),
        ("DejaVuSansCondensed.ttf", "DejaVuSansCondensed-Bold.ttf"),
        ("NimbusSansNarrow-Regular.otf", "NimbusSansNarrow-Bold.otf"),
        ("OpenSans-CondLight.ttf", "OpenSans-CondBold.ttf"),
        ("LiberationSansNarrow-Regular.ttf", "LiberationSansNarrow-Bold.ttf"),
        ("texgyreheroscn-regular.otf", "texgyreheroscn-bold.otf"),
        ("LeagueMono-CondensedMedium.otf", "LeagueMono-CondensedBold.otf"),
    ),
    "display": (
        ("LeagueSpartan-ExtraBold.otf", "LeagueSpartan-Black.otf"),
        ("Lato-Black.ttf", "Lato-Black.ttf"),
        ("Roboto-Black.ttf", "Roboto-Black.ttf"),
        ("Comfortaa-Bold.ttf", "Comfortaa-Bold.ttf"),
        ("URWGothic-Demi.otf", "URWGothic-Demi.otf"),
        ("Quicksand-Bold.ttf", "Quicksand-Bold.ttf"),
        ("Play-Bold.ttf", "Play-Bold.ttf"),
        ("Z003-MediumItalic.otf", "Z003-MediumItalic.otf"),
        ("LinLibertine_RB.otf", "LinLibertine_RB.otf"),
        ("URWBookman-DemiItalic.otf", "URWBookman-DemiItalic.otf"),
        ("C059-BdIta.otf", "C059-BdIta.otf"),
        ("Lato-BlackItalic.ttf", "Lato-BlackItalic.ttf"),
        ("DejaVuSerif-Bold.ttf", "DejaVuSerif-Bold.ttf"),
        ("RobotoSlab-Bold.otf", "RobotoSlab-Bold.otf"),
        ("OpenSans-ExtraBold.ttf", "OpenSans-ExtraBold.ttf"),
    ),
    # The machine-readable zone's own; where it is not installed, any monospaced one.
    "ocrb": (
        ("OCRB.otf", "OCRB.otf"),
        ("OCRBS.otf", "OCRBS.otf"),
    ),
    # Well hinted at ten dots a line: needles print what the hinting leaves.
    "dot": (
        ("DejaVuSansMono.ttf", "DejaVuSansMono-Bold.ttf"),
        ("LiberationMono-Regular.ttf", "LiberationMono-Bold.ttf"),
        ("Hack-Regular.ttf", "Hack-Bold.ttf"),
        ("NotoSansMono-Regular.ttf", "NotoSansMono-Bold.ttf"),
    ),
}  # fmt: skip


# "known" are those that a network which looks at print learns from, "unseen" the others, by which it is judged.
Share = Literal["all", "known", "unseen"]
UNSEEN_EVERY = 5  # of the list above


@dataclass(frozen=True)
class Family:
    """Two font files; None is the font that Pillow carries."""

    regular: str | None
    bold: str | None

    @property
    def has_bold(self) -> bool:
        return self.bold != self.regular


@cache
def _installed() -> dict[str, str]:
    """File name → path, of every font file on this machine."""
    found: dict[str, str] = {}
    for folder in FOLDERS:
        for parent, _, names in sorted(os.walk(Path(folder).expanduser())):
            for name in names:
                found.setdefault(name, str(Path(parent, name)))
    return found


@cache
def families(face: Face, share: Share = "all") -> tuple[Family, ...]:
    """What this machine can set a face in; never empty. Where it has none of a share, what it has."""
    installed = _installed()
    found = [
        Family(installed[regular], installed.get(bold, installed[regular]))
        for place, (regular, bold) in enumerate(FAMILIES[face])
        if regular in installed
        and (share == "all" or (place % UNSEEN_EVERY == UNSEEN_EVERY // 2) == (share == "unseen"))
    ]
    if not found and share != "all":
        return families(face)
    if not found and face == "ocrb":
        return families("mono")
    return tuple(found) or (Family(None, None),)


@lru_cache(maxsize=1024)
def font(path: str | None, size_px: int) -> ImageFont.FreeTypeFont:
    """The font at a size of its em. No ligatures: "->" and "fi" are printed letter by letter by a till."""
    if path is not None:
        return ImageFont.truetype(path, size_px, layout_engine=ImageFont.Layout.BASIC)
    built_in = ImageFont.load_default(size_px)
    if not isinstance(built_in, ImageFont.FreeTypeFont):
        raise RuntimeError("Pillow was built without FreeType; install one of its own wheels")
    return built_in


@cache
def em_per_height(path: str | None) -> float:
    """Size of the em for an ascender-to-descender height of 1."""
    sample = font(path, 200)
    _, top, _, bottom = sample.getbbox("bdfhklQgjpqy")
    return 200.0 / max(1.0, bottom - top)


@lru_cache(maxsize=65536)
def _has(path: str | None, letter: str) -> bool:
    """Whether the font has the letter; a missing one prints as the same box that a code point of no letter prints."""
    sample = font(path, 24)
    nothing, drawn = sample.getmask("\U0010ffff"), sample.getmask(letter)
    return bytes(drawn) != bytes(nothing) or drawn.size != nothing.size


def covers(path: str | None, text: str) -> bool:
    """Whether every letter of the text can be set in this font."""
    return all(_has(path, letter) for letter in text if not letter.isspace())
