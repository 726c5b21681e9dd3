"""Matplotlib's SVG made small, to embed in a page: figures share their styles, and coordinates have one decimal."""

import re

_PROLOGUE = re.compile(
    r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>|<defs>\s*<style.*?</defs>", re.S
)
_STYLE = re.compile(r'style="([^"]*)"')
_ID = re.compile(r' id="([^"]*)"')
_USED = re.compile(r'(?:href="#|url\(#)([^")]*)')
_NUMBER = re.compile(r"-?\d+\.\d+")
_DRAWING = re.compile(r' (d|x|y|x1|x2|y1|y2|points|transform)="([^"]*)"')
_SIZE = re.compile(r'<svg [^>]*?viewBox="([^"]*)"[^>]*>')


class Styles:
    """The styles of the figures of a page, each once."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def name(self, style: str) -> str:
        """Return the class for a style."""
        plain = ";".join(part.strip() for part in style.split(";") if part.strip())
        return self.names.setdefault(plain, f"f{len(self.names)}")

    def __str__(self) -> str:
        return "".join(f".{name}{{{style}}}" for style, name in self.names.items())


def compact(svg: bytes, styles: Styles, title: str) -> str:
    """Return a figure as part of a page; the title, which is HTML, is for screen readers."""
    text = _PROLOGUE.sub("", svg.decode("utf-8"))
    used = {*_USED.findall(text)}
    text = _ID.sub(lambda found: found[0] if found[1] in used else "", text)
    text = _STYLE.sub(lambda found: f'class="{styles.name(found[1])}"', text)
    text = _DRAWING.sub(_with_short_numbers, text)
    text = text.replace("xlink:href", "href")
    text = _SIZE.sub(lambda found: f'<svg viewBox="{found[1]}" role="img" aria-label="{title}">', text)
    return re.sub(r"\s*\n\s*", " ", text).replace("> <", "><").strip()


def _with_short_numbers(attribute: re.Match[str]) -> str:
    """Round coordinates; the factors of a scale stay as they are."""
    if "scale" in attribute[2]:
        return attribute[0]
    return f' {attribute[1]}="{_NUMBER.sub(_rounded, attribute[2])}"'


def _rounded(number: re.Match[str]) -> str:
    """Format with one decimal, or none if it is 0."""
    short = f"{float(number[0]):.1f}".removesuffix(".0")
    return "0" if short == "-0" else short
