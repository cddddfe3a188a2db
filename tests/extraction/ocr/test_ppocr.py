"""PP-OCR's networks, as two libraries run them."""

import cv2
import numpy as np
import pytest

from docextract.extraction.ocr import ppocr
from docextract.extraction.ocr.ctc import prefix_beam_search
from docextract.extraction.ocr.ppocr import Detector, Engine, Recogniser, group_by_width, padded_width
from docextract.extraction.ocr.reading import Reader

F32 = Engine(precision="f32")


def strip(text: str) -> np.ndarray:
    """Black on white, level."""
    (width, height), _ = cv2.getTextSize(text, cv2.FONT_HERSHEY_SIMPLEX, 1.2, 2)
    found = np.full((height + 20, width + 20, 3), 255, np.uint8)
    cv2.putText(found, text, (10, height + 10), cv2.FONT_HERSHEY_SIMPLEX, 1.2, (0, 0, 0), 2, cv2.LINE_AA)
    return found


STRIPS = [strip(text) for text in ("GRAND TOTAL 12.50", "9.00", "X", "DATE 12/03/2018 18:45", "7.00", "3.50")]


@pytest.fixture(scope="module")
def recogniser():
    return Recogniser(F32)


def test_strips_are_read_in_the_order_given(recogniser):
    """However they are sorted and packed on the way."""
    assert [one.text for one in recogniser.read(STRIPS)] == [
        "GRAND TOTAL 12.50", "9.00", "X", "DATE 12/03/2018 18:45", "7.00", "3.50",
    ]  # fmt: skip
    assert recogniser.read([]) == []


def test_neighbours_change_nothing(recogniser):
    """A strip is padded by its own width alone."""
    alone = [recogniser.read([one])[0] for one in STRIPS]

    for one, other in zip(recogniser.read(STRIPS), alone, strict=True):
        assert (one.text, one.span) == (other.text, other.span)
        assert one.confidence == pytest.approx(other.confidence, abs=1e-4)


def test_columns_tell_where_letters_stand(recogniser):
    """From the left, inside the strip, one for each."""
    (said,) = recogniser.read(STRIPS[:1])

    assert len(said.columns) == len(said.text)
    assert (np.diff(said.columns) > 0).all()
    assert 0 <= said.columns[0] < said.columns[-1] < said.span


def test_what_else_a_letter_may_be_is_told(recogniser):
    """Of clear print little: a nought is likelier an O than anything, and hardly that."""
    clear, blurred = recogniser.read([STRIPS[1], cv2.GaussianBlur(STRIPS[1], (0, 0), 4.5)])

    assert len(clear.others) == len(clear.odds) == len(clear.text)
    assert all(other != read for other, read in zip(clear.others, clear.text, strict=True))
    assert clear.odds.min() >= 0
    assert clear.odds.max() < 0.05
    assert blurred.odds.max() > clear.odds.max()


class Wish:
    """A language in which lines without a letter are likelier."""

    weight, digest = 1.0, "wish"

    def __init__(self, avoided: str, most: float = 20.0) -> None:
        self.avoided, self.most = avoided, most

    def log_likelihoods(self, lines):
        return np.array([-self.most * line.count(self.avoided) for line in lines], np.float32)


def test_what_lines_say_decides_where_pixels_do_not(recogniser):
    """Of blurred print a letter is exchanged for the next likeliest; what stands there is told for the text chosen."""
    blurred = cv2.GaussianBlur(STRIPS[0], (0, 0), 7)
    (said,) = recogniser.read([blurred])
    doubted = said.text[int(said.odds.argmax())]

    (chosen,) = Recogniser(F32, language=Wish(doubted)).read([blurred])

    assert said.odds.max() > 0.1
    assert chosen.text.count(doubted) < said.text.count(doubted)
    assert len(chosen.others) == len(chosen.odds) == len(chosen.columns) == len(chosen.text)
    assert 0.1 < chosen.odds.max() <= 1
    assert (np.diff(chosen.columns) > 0).all()
    assert chosen.confidence == said.confidence


def test_clear_print_is_what_it_is(recogniser):
    """However unlikely; blurred print is, if it is asked for by its pixels alone."""
    told = Recogniser(F32, language=Wish("0"))
    blurred = [cv2.GaussianBlur(one, (0, 0), 8) for one in STRIPS]

    assert [one.text for one in told.read(STRIPS)] == [one.text for one in recogniser.read(STRIPS)]
    assert [one.text for one in told.read(blurred)] != [one.text for one in recogniser.read(blurred)]
    assert [one.text for one in told.read(blurred, by_pixels=True)] == [one.text for one in recogniser.read(blurred)]


@pytest.mark.parametrize("seed", range(6))
def test_a_text_that_is_chosen_is_said_as_it_is(recogniser, seed):
    """Whatever it is: longer than what the pixels say, shorter, or with a letter twice."""
    chances = np.random.default_rng(seed).dirichlet(np.full(3, 0.4), 6).astype(np.float32)
    (found,) = ppocr._columns(chances[None])
    said = recogniser._said(found, 6.0)
    several = prefix_beam_search(found.best.tolist(), found.options)

    mended = [recogniser._mended(said, found, one) for one in several]

    assert len({one.text for one in mended}) == len(several)
    for one, chosen in zip(mended, several, strict=True):
        assert one.text == recogniser._text(chosen.classes)
        assert len(one.text) == len(one.columns) == len(one.others) == len(one.odds)
        assert all(other != char for other, char in zip(one.others, one.text, strict=True))
        assert ((one.odds >= 0) & (one.odds <= 1)).all()


def test_a_reader_is_told_from_one_with_another_language():
    """What was read by one is not taken for what the other would read."""
    assert Reader().digest == ""
    assert Reader(language=Wish("0")).digest == "wish"


def test_both_libraries_read_alike(recogniser):
    """What a GPU would run says what the processor says."""
    other = Recogniser(Engine(library="onnxruntime"))

    for one, two in zip(recogniser.read(STRIPS), other.read(STRIPS), strict=True):
        assert one.text == two.text
        assert one.confidence == pytest.approx(two.confidence, abs=1e-3)


def test_both_libraries_find_alike():
    """Boxes to the pixel, but for rounding."""
    page = np.full((200, 500, 3), 255, np.uint8)
    page[40 : 40 + STRIPS[0].shape[0], 30 : 30 + STRIPS[0].shape[1]] = STRIPS[0]

    (one,), (two,) = (Detector(engine).find(page, 1.5) for engine in (F32, Engine(library="onnxruntime")))

    assert np.abs(one - two).max() <= 1


def test_boxes_are_finer_than_pixels():
    """On a page whose letters are few pixels high, whole ones would cut into them."""
    page = np.full((60, 150, 3), 255, np.uint8)
    small = cv2.resize(STRIPS[0], None, fx=0.35, fy=0.35, interpolation=cv2.INTER_AREA)
    page[20 : 20 + small.shape[0], 10 : 10 + small.shape[1]] = small

    (box,) = Detector(F32).find(page, 5)

    assert np.abs(box - box.round()).max() > 0.1


def test_without_its_runtime_a_gpu_is_not_waited_for(recogniser):
    """The lock's ONNX Runtime has no CUDA: the processor reads, as fast as it can."""
    (said,) = Recogniser(Engine(cuda=True)).read(STRIPS[:1])

    assert said.text == "GRAND TOTAL 12.50"


def test_several_threads_read_like_one(recogniser):
    """Packs are shared out among them."""
    assert [one.text for one in Recogniser(Engine(threads=2, precision="f32")).read(STRIPS)] == [
        one.text for one in recogniser.read(STRIPS)
    ]


def test_no_other_script_is_read(recogniser):
    """A cut-down last layer cannot say 家; the whole one can."""
    assert len(recogniser._letters) < 1000 < len(Recogniser(Engine(letters=()))._letters)


def test_strips_of_one_width_go_together_four_at_a_time():
    """The widest first, each once."""
    assert group_by_width([96, 320, 96, 96, 96, 96]) == [[1], [0, 2, 3, 4], [5]]
    assert group_by_width([]) == []


def test_widths_are_few():
    """Shapes that are met again cost nothing; none is cut off, and padding stays small."""
    widths = range(1, 2000)

    assert all(width <= padded_width(width) <= max(96, 1.35 * width) for width in widths)
    assert len({padded_width(width) for width in widths}) < 25
