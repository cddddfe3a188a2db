"""Prints filled templates with Chromium, each value within a numbered link; see `sheets`."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

from playwright.sync_api import Browser, Page, sync_playwright

from training.synth.templates.sheets import LINK

MM_PER_PX = 25.4 / 96
ROLL_MARGIN_PX = 12
TYPEFACES = (
    "Liberation Sans", "Liberation Serif", "Liberation Mono", "DejaVu Sans", "DejaVu Serif", "DejaVu Sans Condensed",
)  # fmt: skip
# Numbers the values, and puts the content of each into a link. Returns the fields, in the order of their numbers.
_LINK_VALUES = """(prefix) => Array.from(document.querySelectorAll('[data-field]')).filter(
  element => element.innerText.trim()
).map((element, number) => {
  const link = document.createElement('a');
  link.href = prefix + number;
  link.style.all = 'unset';
  while (element.firstChild) link.appendChild(element.firstChild);
  element.appendChild(link);
  const [group, leaf] = element.dataset.field.split('.');
  return leaf === undefined || element.dataset.row === undefined
    ? element.dataset.field : `${group}.${element.dataset.row}.${leaf}`;
})"""


class BrowserMissingError(Exception):
    """Chromium is not installed."""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the Chromium that is installed, or that the environment variable CHROMIUM names.

    Raises BrowserMissingError where there is none.
    """
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        raise BrowserMissingError("Chromium was not found; install it, or name its program in CHROMIUM")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


def print_pdf(
    browser: Browser, html: str, rng: Random, roll_mm: float | None = None, is_card: bool = False
) -> tuple[bytes, list[str]]:
    """Print HTML in a slightly different style each time. Return the PDF and the fields of its links, by number.

    roll_mm: width of the paper roll of a receipt, which is as long as its print; None for pages. is_card: values have
    fixed places on a page of a fixed size, so only the typeface changes.
    """
    page = _page(browser)
    page.set_viewport_size({"width": round(roll_mm / MM_PER_PX) if roll_mm else 794, "height": 1000})
    page.set_content(html, wait_until="load")
    if style := _style(rng, is_roll=roll_mm is not None, is_card=is_card):
        page.add_style_tag(content=style)
    fields: list[str] = page.evaluate(_LINK_VALUES, LINK)
    if roll_mm is None:
        return page.pdf(prefer_css_page_size=True, print_background=True), fields
    height = page.evaluate("Math.ceil(document.documentElement.getBoundingClientRect().height)")
    no_margin = {"top": "0", "bottom": "0", "left": "0", "right": "0"}
    paper = {"width": f"{roll_mm}mm", "height": f"{height + ROLL_MARGIN_PX}px"}
    return page.pdf(**paper, print_background=True, margin=no_margin), fields  # type: ignore[arg-type]


def _page(browser: Browser) -> Page:
    """The browser's only page: a new one for each document would take three times as long."""
    if not browser.contexts:
        browser.new_page().emulate_media(media="print")
    return browser.contexts[0].pages[0]


def _style(rng: Random, is_roll: bool, is_card: bool) -> str:
    """Another typeface, size and spacing than the template's own, each on some documents; on cards only a typeface."""
    rules = []
    if rng.random() < 0.4:
        rules.append(f"* {{ font-family: '{rng.choice(TYPEFACES)}' !important }}")
    if is_card:
        return "\n".join(rules)
    if rng.random() < 0.35:
        rules.append(f"td, th {{ padding-top: {rng.uniform(0, 7):.1f}px !important }}")
    if rng.random() < 0.35:
        rules.append(f"* {{ line-height: {rng.uniform(1.05, 1.6):.2f} !important }}")
    if rng.random() < 0.15:
        rules.append("th, h1, h2, h3 { text-transform: uppercase }")
    if rng.random() < 0.4 and not is_roll:
        rules.append(f"body {{ zoom: {rng.uniform(0.8, 1.15):.2f} }}")
    if rng.random() < 0.15 and not is_roll:
        rules.append(f"@page {{ size: {rng.choice(('A4', 'Letter'))} }}")
    return "\n".join(rules)
