"""The report of a comparison: by field what is right and accepted before and after, and the worst pages with pictures.

It quotes the pages and shows their pictures: keep it with the data, and do not publish it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from docextract.registry import gate
from training.datasets import LabelledPage, pictures
from training.evaluation.bootstrap import better_or_worse
from training.evaluation.confidence_curves import confidence_summary, field_confidences
from training.evaluation.evaluate import PageOutcome
from training.metrics import Comparison
from training.report import Report, ReportSample, ReportTable, Row, thumbnail

WORST_PAGES = 10
Pair = tuple[PageOutcome, PageOutcome]  # one page: the candidate's outcome and the served model's
Sets = Mapping[str, Sequence[LabelledPage]]


def build_report(title: str, sets: Sets, pairs: Mapping[str, Sequence[Pair]], scores: Mapping[str, Any]) -> Report:
    """Return the report. pairs: by set, in the order of its pages; scores: `compare.comparison_scores` of the pairs."""
    comparison = scores[gate.COMPARISON]
    tables = {f"Fields: {name}": _fields_table(name, some, comparison) for name, some in pairs.items() if name in sets}
    tables |= {
        "Values by type": _types_table(pairs, comparison),
        "Documents that need no review": _documents_table(pairs),
        "Confidences": _confidence_table(pairs),
    }
    shown = [both for name in sets for both in zip(sets[name], pairs[name], strict=True)]
    worst = sorted(shown, key=lambda both: _mistakes(both[1]), reverse=True)[:WORST_PAGES]
    lead = [summary(name, some, comparison) for name, some in pairs.items()]
    return Report(title, lead, (), tables, [_sample(page, pair) for page, pair in worst])


def summary(name: str, pairs: Sequence[Pair], comparison: Mapping[str, Mapping[str, float]]) -> str:
    """Return in one sentence what the candidate gains or loses on a set, and whether that can be told."""
    one = comparison.get(f"{name}.fields.all.loose")
    if one is None:
        return f"{name}: {len(pairs)} pages without a labelled value."
    return (
        f"{name}, {len(pairs)} pages: of {one['n']} values {one['candidate']:.1%} are right, {one['served']:.1%} with "
        f"the served model ({100 * one['gain']:+.1f} points; 95 %: {100 * one['low']:+.1f} to {100 * one['high']:+.1f};"
        f" {better_or_worse(one) or 'not enough to tell which is better'})."
    )


def is_accepted(one: Comparison, outcome: PageOutcome) -> bool:
    """Whether a value is given, and no person is asked to review it."""
    return one.predicted is not None and f"uncertain:{one.field.partition('.')[0]}" not in (
        outcome.review_reasons or ()
    )


def _fields_table(name: str, pairs: Sequence[Pair], comparison: Mapping[str, Mapping[str, float]]) -> ReportTable:
    types = dict.fromkeys(mine.type for mine, _ in pairs)
    rows = []
    for kind in types:
        some = [pair for pair in pairs if pair[0].type == kind]
        for field in dict.fromkeys(one.field for mine, _ in some for one in mine.comparisons):
            compared = comparison.get(f"{name}.document_types.{kind}.{field}.loose")
            if compared is not None:
                rows.append(_field_row(kind, field, compared, some))
    columns = (
        "type", "field", "printed", "right before", "right after", "95 % interval of the gain",
        "accepted before", "accepted after", "wrong among accepted",
    )  # fmt: skip
    return ReportTable(columns, rows)


def _field_row(kind: str, field: str, compared: Mapping[str, float], pairs: Sequence[Pair]) -> Row:
    after = [one for mine, _ in pairs for one in _accepted(mine, field)]
    before = [one for _, theirs in pairs for one in _accepted(theirs, field)]
    return Row(
        (
            kind, field, int(compared["n"]), compared["served"], compared["candidate"], _interval(compared),
            len(before), len(after), sum(not one.loose for one in after),
        ),
        wrong=compared["high"] < 0,
    )  # fmt: skip


def _accepted(outcome: PageOutcome, field: str) -> list[Comparison]:
    return [one for one in outcome.comparisons if one.field == field and is_accepted(one, outcome)]


def _types_table(pairs: Mapping[str, Sequence[Pair]], comparison: Mapping[str, Mapping[str, float]]) -> ReportTable:
    rows = []
    for name, some in pairs.items():
        for kind in dict.fromkeys(mine.type for mine, _ in some):
            if (one := comparison.get(f"{name}.document_types.{kind}.all.loose")) is not None:
                cells = (name, kind, int(one["n"]), one["served"], one["candidate"], _interval(one))
                rows.append(Row(cells, wrong=one["high"] < 0))
    return ReportTable(("set", "type", "printed", "right before", "right after", "95 % interval of the gain"), rows)


def _documents_table(pairs: Mapping[str, Sequence[Pair]]) -> ReportTable:
    rows = []
    for name, some in pairs.items():
        for which, outcomes in (("before", [pair[1] for pair in some]), ("after", [pair[0] for pair in some])):
            sure = [one for one in outcomes if one.review_reasons == ()]
            faulty = sum(any(_is_wrong(value) for value in one.comparisons) for one in sure)
            rows.append(Row((name, which, len(outcomes), len(sure), faulty)))
    return ReportTable(("set", "", "documents", "without review", "of these with a wrong value"), rows)


def _confidence_table(pairs: Mapping[str, Sequence[Pair]]) -> ReportTable:
    rows = []
    for name, some in pairs.items():
        for which, outcomes in (("before", [pair[1] for pair in some]), ("after", [pair[0] for pair in some])):
            found = confidence_summary(field_confidences(value for one in outcomes for value in one.comparisons))
            figures = (found.get(key) for key in ("values", "right", "mean_confidence", "right_of_most_confident"))
            rows.append(Row((name, which, *figures)))
    return ReportTable(("set", "", "values", "right", "mean confidence", "right of the surest 80 %"), rows)


def _sample(page: LabelledPage, pair: Pair) -> ReportSample:
    mine, theirs = pair
    rows = [
        Row((one.field, one.expected, other.predicted, one.predicted, one.confidence), _is_wrong(one))
        for one, other in zip(mine.labelled, theirs.labelled, strict=True)
    ]
    rows += [Row((one.field, None, None, one.predicted, one.confidence), True) for one in mine.comparisons if one.extra]
    table = ReportTable(("field", "labelled", "before", "after", "confidence"), rows)
    return ReportSample(page.key, thumbnail(pictures.load(page.image, selection=page.selection)), table)


def _mistakes(pair: Pair) -> tuple[int, int]:
    mine, theirs = pair
    return sum(map(_is_wrong, mine.comparisons)), sum(map(_is_wrong, theirs.comparisons))


def _is_wrong(one: Comparison) -> bool:
    """Whether a field is wrong; nothing found where nothing is counts as right."""
    return not one.loose and not (one.expected is None and one.predicted is None)


def _interval(one: Mapping[str, float]) -> str:
    return f"{100 * one['low']:+.1f} to {100 * one['high']:+.1f} points"
