"""The fit: a logistic model for each field, which turns the scores of a candidate into a probability."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import torch

from docextract.extraction.layout.calibration import CALIBRATION_INPUTS, UNCALIBRATED, Calibration
from docextract.extraction.layout.candidates import Candidate
from training.tasks.calibration.examples import CalibrationExample, Source

# There are few real receipts, each as a scan and one or two photos. There are thousands of sheets, and they raise the
# confidences: with a weight of 0.15, values on synthetic photos left out of the fit were right 2.5 percentage points
# less often than their confidence said, with 0.025 one point (400 sheets of each type; more sheets weigh more).
# Filled layouts that training has not seen have errors like those on real documents, but are easier: with 1.0 the
# surest 80 % of the values on real documents of other templates were right 1.0 point less often than with 0 or 0.2.
SOURCE_WEIGHTS: Mapping[Source, float] = {
    "real": 2.0, "collection": 2.0, "template": 0.2, "photograph": 1.0, "sheet": 0.025,
}  # fmt: skip

# Of the values on real receipts and on real documents of templates left out of the fit, by how they were told apart
# (AUROC): 0.835 and 0.837 with the first four inputs, 0.851 and 0.870 with the next two, 0.868 and 0.875 with all but
# the last; the largest share of values of which at most 1 % are wrong: 34 and 26 %, 42 and 66 %, 64 and 67 % (566 and
# 638 values, 2026-11-25, a candidate after 2.12.0). With the last one, 39.5 instead of 36.6 % of 697 values on real
# invoices and cards are accepted at 1 %, 63.4 instead of 60.4 % at 2 % (2026-11-26, the networks of 2.15.0). Tried
# before and left out: "misread" in place of "doubted" and "reading", a likely piece beside the value, the probability
# of the document type, numbers of lines and characters.
FITTED_INPUTS = ("support", "whole", "doubted", "reading", "margin", "page_doubt", "checked", "labelled")
FIELD_RIDGE = 3.0  # penalty on the distance of a field's slopes to the common ones; in examples
BIAS_RIDGE = 1.0
RIDGE = 1e-3
MAX_INVENTED_SHARE = 0.02  # at most this share of absent fields may get a value, unless the threshold would be higher
# What is more likely than not to be printed is given; its confidence says how likely. Thresholds up to 0.95, found on
# synthetic pages, held back half of the customers' names on real invoices, nearly all of them right (2026-11-23).
MIN_ACCEPTANCE, MAX_ACCEPTANCE = 0.3, 0.5


def fit_calibration(examples: Sequence[CalibrationExample], inputs: Sequence[str] = FITTED_INPUTS) -> Calibration:
    """Fit a logistic model per field. A penalty keeps the model of a field with few examples near a common one."""
    accept = {"*": UNCALIBRATED.accept["*"]}
    for name, own in examples_by_field(examples).items():
        if "." not in name:  # rows have no threshold
            accept[name] = _acceptance(own)
    accepted = [example for example in examples if example.candidate and is_given(example.candidate, accept)]
    weights = _logistic(accepted, inputs) if accepted else {"*": [0.0, *(float(name == "support") for name in inputs)]}
    return Calibration(weights, accept, tuple(inputs))


def examples_by_field(examples: Iterable[CalibrationExample]) -> dict[str, list[CalibrationExample]]:
    """Return the examples by their field."""
    by_field: dict[str, list[CalibrationExample]] = defaultdict(list)
    for example in examples:
        by_field[example.field].append(example)
    return by_field


def is_given(candidate: Candidate, accept: Mapping[str, float]) -> bool:
    """Whether a candidate is given as a value. accept: see `Calibration`."""
    return candidate.support >= accept.get(candidate.field, 0.0)


def _logistic(examples: Sequence[CalibrationExample], inputs: Sequence[str]) -> dict[str, list[float]]:
    """Weighted logistic regression by field, bias first; "*" is the common model.

    N examples, F fields, K inputs. Inputs are normalised during the fit so that one penalty suits all.
    """
    fields = sorted({example.field for example in examples})
    x = torch.tensor(
        [[CALIBRATION_INPUTS[name](t.candidate) for name in inputs] for t in examples if t.candidate],
        dtype=torch.float64,
    )
    y = torch.tensor([float(t.right) for t in examples], dtype=torch.float64)  # [N]
    share = torch.tensor([SOURCE_WEIGHTS[t.source] for t in examples], dtype=torch.float64)
    field = torch.tensor([fields.index(t.field) for t in examples])
    middle = (x * share[:, None]).sum(0) / share.sum()  # [K]
    spread = (((x - middle) ** 2 * share[:, None]).sum(0) / share.sum()).sqrt() + 1e-6
    scaled = (x - middle) / spread  # [N, K]
    common = torch.zeros(1 + len(inputs), dtype=torch.float64, requires_grad=True)
    own = torch.zeros(len(fields), 1 + len(inputs), dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([common, own], max_iter=200, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        weights = common + own[field]  # [N, 1 + K]
        z = weights[:, 0] + (weights[:, 1:] * scaled).sum(1)
        error = torch.nn.functional.binary_cross_entropy_with_logits(z, y, share, reduction="sum")
        ridge = FIELD_RIDGE * (own[:, 1:] ** 2).sum() + BIAS_RIDGE * (own[:, 0] ** 2).sum()
        total: torch.Tensor = error + ridge + RIDGE * (common[1:] ** 2).sum()
        total.backward()  # type: ignore[no-untyped-call]
        return total

    optimizer.step(closure)  # type: ignore[no-untyped-call]
    fitted = torch.cat([common[None], common + own]).detach()  # [1 + F, 1 + K]
    slopes = fitted[:, 1:] / spread
    bias = fitted[:, 0] - slopes @ middle
    rows = torch.cat([bias[:, None], slopes], dim=1).tolist()
    return {name: [round(value, 5) for value in row] for name, row in zip(["*", *fields], rows, strict=True)}


def _acceptance(examples: Sequence[CalibrationExample]) -> float:
    """The lowest support that keeps the share of values for absent fields at most MAX_INVENTED_SHARE, within bounds."""
    absent = sorted((t.candidate.support if t.candidate else 0.0 for t in examples if t.expected is None), reverse=True)
    if len(absent) < 50:
        return MIN_ACCEPTANCE
    highest = absent[int(MAX_INVENTED_SHARE * len(absent))] + 1e-3
    return round(float(np.clip(highest, MIN_ACCEPTANCE, MAX_ACCEPTANCE)), 4)
