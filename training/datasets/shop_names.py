"""Names of real shops, which training prints on synthetic receipts: the generator's grammar has few kinds of names."""

from dataclasses import dataclass
from pathlib import Path
from random import Random

FILE = "merchants.txt"  # a name on each line
MAX_CHARACTERS = 36


@dataclass(frozen=True)
class ShopNames:
    """Draws names of shops. share: of the receipts, 0 to 1; the others keep the name that they have."""

    names: tuple[str, ...] = ()
    share: float = 0.0

    @classmethod
    def read(cls, folder: Path | None, share: float) -> "ShopNames":
        """Read the names of a folder of words. Raises ValueError if names are wanted and there is no folder."""
        if share and folder is None:
            raise ValueError(f"shop_name_share is {share}: name the folder of {FILE} with --words")
        lines = (folder / FILE).read_text(encoding="utf-8").splitlines() if folder else []
        return cls(tuple(name for name in map(str.strip, lines) if 0 < len(name) <= MAX_CHARACTERS), share)

    def draw(self, printed: str, rng: Random) -> str:
        """Return another name in the case of the printed one, or the printed one."""
        if not self.names or rng.random() >= self.share:
            return printed
        name = rng.choice(self.names)
        return name.upper() if printed.isupper() else name


NO_SHOP_NAMES = ShopNames()
