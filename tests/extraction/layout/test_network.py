"""The layout transformer."""

from dataclasses import replace

import torch

from docextract.extraction.layout.network import LayoutShape, LayoutTransformer, collate_pages
from docextract.extraction.layout.pieces import split_into_pieces
from tests.extraction.conftest import TINY


def test_padding_does_not_change_the_output(tiny, line):
    """A short page gets the same output alone and in a batch with a long page."""
    short = split_into_pieces([line("TOTAL 9.00")])[1]
    long = split_into_pieces([line(f"ITEM {at} 1.00", 0, 30 * at) for at in range(9)])[1]

    with torch.inference_mode():
        alone, together = tiny(collate_pages([short])), tiny(collate_pages([long, short]))

    assert torch.allclose(alone.labels[0], together.labels[1, : len(short.pieces)], atol=1e-5)
    assert torch.allclose(alone.type[0], together.type[1], atol=1e-5)


def test_an_empty_page_has_finite_output(tiny):
    """A page without print causes no nan in its batch."""
    with torch.inference_mode():
        logits = tiny(collate_pages([split_into_pieces([])[1]]))

    assert all(torch.isfinite(part).all() for part in vars(logits).values())


def test_position_biases_get_gradients(tiny, line):
    """In the published LayoutLMv3 class they get none."""
    page = split_into_pieces([line("TOTAL", 0, 0), line("9.00", 300, 0)])[1]

    tiny(collate_pages([page])).labels.square().sum().backward()

    assert tiny.bias.across.weight.grad.abs().sum() > 0
    assert tiny.bias.order.weight.grad.abs().sum() > 0


def test_the_shape_can_be_written_to_json_and_read_back():
    """A network can be built from the file next to its weights."""
    assert LayoutShape.from_json(TINY.to_json()) == TINY


def test_four_pages_can_be_memorised(line):
    """All inputs reach the labels, and all parameters learn."""
    torch.manual_seed(0)
    network = LayoutTransformer(TINY)
    pages = [
        split_into_pieces([line(f"{word} {at}.50", 10 * at, 0), line("TOTAL", 0, 40)])[1]
        for at, word in enumerate("ABCD")
    ]
    batch = collate_pages(pages)
    torch.manual_seed(1)
    truth = torch.randint(0, TINY.labels, batch.mask.shape)
    optimizer = torch.optim.AdamW(network.parameters(), 3e-3)

    for _ in range(120):
        logits = network(batch).labels
        loss = torch.nn.functional.cross_entropy(logits[batch.mask], truth[batch.mask])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    assert (network(batch).labels.argmax(-1)[batch.mask] == truth[batch.mask]).all()


def test_the_probabilities_of_several_labels_of_a_field_are_added_up(line):
    """Receipts and invoices print their totals differently, so a network may have a label for each."""
    _, page = split_into_pieces([line("TOTAL 9.00", 0)])
    shape = replace(TINY, fields=("tip", "total"), head_fields=("total", "tip", "total"))
    network = LayoutTransformer(shape).eval()
    single = LayoutTransformer(replace(TINY, fields=("a", "tip", "b"))).eval()
    single.load_state_dict(network.state_dict())

    with torch.no_grad():
        merged, rows = (one(collate_pages([page])).labels.softmax(-1) for one in (network, single))

    assert merged.shape[-1] == shape.labels == 5
    for label, summed in ((0, (0,)), (1, (3,)), (2, (4,)), (3, (1, 5)), (4, (2, 6))):
        assert torch.allclose(merged[..., label], rows[..., list(summed)].sum(-1), atol=1e-6)
