"""Made-up photographs as a labelled folder."""

from training.datasets import labelled_folder, made_up


def test_what_is_written_is_a_labelled_folder(tmp_path):
    """Every row can be used, and says of each single field whether it is there."""
    made_up.main([str(tmp_path), "--count", "2", "--plan", "good"])

    pages, unusable = labelled_folder.load(tmp_path)

    assert (len(pages), unusable) == (2, [])
    assert all(page.fields["total"] is not None for page in pages)
    assert all("tip" in page.fields for page in pages)
