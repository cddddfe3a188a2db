"""Interpolate between served weights and weights that were trained further from them.

    python -m training.tasks.layout.interpolate models/extraction/weights runs/extraction/weights --share 0.6 \\
        --out runs/interpolated/weights

What was trained further knows more layouts and forgets some of what it knew; weights between the two keep most of both
(WiSE-FT; Wortsman et al. 2022, arXiv:2109.01903). Rows of heads that only the new weights have are theirs. The other
files of the served weights (reader, zones, language) are copied; the type head and the confidences must be fitted anew.
"""

import argparse
import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from safetensors.torch import load_file, save_file
from torch import Tensor

from docextract.extraction.layout.network import LayoutShape
from training import typefaces
from training.tasks.layout.train import matching_labels
from training.warm_start import matching_rows


def interpolate(
    served: Mapping[str, Tensor], further: Mapping[str, Tensor], share: float, shapes: tuple[LayoutShape, LayoutShape]
) -> dict[str, Tensor]:
    """Return share * further + (1 - share) * served. shapes: of the two. Raises ValueError if the types differ."""
    old, new = shapes
    if old.types != new.types:
        raise ValueError("the two networks have other document types")
    heads = {
        "label_head": matching_labels(new, old),
        "currency_head": matching_rows(new.currencies, old.currencies),
    }
    weights = {}
    for name, tensor in further.items():
        before = tensor.float().clone()
        if rows := heads.get(name.partition(".")[0]):
            for row, served_row in rows:
                before[row] = served[name][served_row].float()
        else:
            before = served[name].float()
        weights[name] = (share * tensor.float() + (1 - share) * before).to(tensor.dtype).contiguous()
    return weights


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line; see the module docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("served", type=Path)
    parser.add_argument("further", type=Path)
    parser.add_argument("--share", type=float, default=0.5, help="of the weights that were trained further (0.5)")
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args(arguments)
    folders = (options.served, options.further)
    configs = [json.loads((folder / "config.json").read_text()) for folder in folders]
    old, new = (LayoutShape.from_json(config["shape"]) for config in configs)
    served, further = (load_file(folder / "model.safetensors") for folder in folders)
    shutil.copytree(options.served, options.out, dirs_exist_ok=True)
    save_file(interpolate(served, further, options.share, (old, new)), options.out / "model.safetensors")
    (options.out / "config.json").write_text(json.dumps(configs[1], indent=1) + "\n")
    typefaces.keep_record(options.further, options.out)


if __name__ == "__main__":
    main()
