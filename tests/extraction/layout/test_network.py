"""The layout transformer."""

import torch

from docextract.extraction.layout.network import LayoutShape, LayoutTransformer, collate_pages
from docextract.extraction.layout.pieces import split_into_pieces
from tests.extraction.conftest import TINY


def test_padding_changes_nothing(tiny, line):
    """A short page beside a long one answers as it does alone."""
    short = split_into_pieces([line("TOTAL 9.00")])[1]
    long = split_into_pieces([line(f"ITEM {at} 1.00", 0, 30 * at) for at in range(9)])[1]

    with torch.inference_mode():
        alone, together = tiny(collate_pages([short])), tiny(collate_pages([long, short]))

    assert torch.allclose(alone.labels[0], together.labels[1, : len(short.pieces)], atol=1e-5)
    assert torch.allclose(alone.type[0], together.type[1], atol=1e-5)


def test_an_empty_page_has_finite_answers(tiny):
    """A photo without print does not poison its batch."""
    with torch.inference_mode():
        logits = tiny(collate_pages([split_into_pieces([])[1]]))

    assert all(torch.isfinite(part).all() for part in vars(logits).values())


def test_distance_biases_learn(tiny, line):
    """The tables that tell near from far get gradients; in the published LayoutLMv3 class they do not."""
    page = split_into_pieces([line("TOTAL", 0, 0), line("9.00", 300, 0)])[1]

    tiny(collate_pages([page])).labels.square().sum().backward()

    assert tiny.bias.across.weight.grad.abs().sum() > 0
    assert tiny.bias.order.weight.grad.abs().sum() > 0


def test_the_shape_survives_json():
    """A network can be built from the file beside its weights."""
    assert LayoutShape.from_json(TINY.to_json()) == TINY


def test_four_pages_can_be_memorised(line):
    """If not, a wire is loose."""
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
