"""HTML as a tree of elements, so that text can never become markup: it is escaped where the tree is written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from xml.etree.ElementTree import Element, tostring

Child = Element | str | None
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def e(tag: str, attributes: Mapping[str, object] | None = None, *children: Child) -> Element:
    """An element.

    Args:
        tag: its name; of the program, never of data.
        attributes: values of None and False leave the attribute out, True gives it without a value.
        children: elements and texts in order; None is left out.
    """
    element = Element(tag)
    for name, value in (attributes or {}).items():
        if value is None or value is False:
            continue
        element.set(name, "" if value is True else _clean(str(value)))
    return add(element, *children)


def add(parent: Element, *children: Child) -> Element:
    """Append children to an element; gives the element."""
    for child in children:
        if child is None:
            continue
        if isinstance(child, str):
            _append_text(parent, _clean(child))
        else:
            parent.append(child)
    return parent


def page(root: Element) -> str:
    """The whole document."""
    return "<!doctype html>\n" + tostring(root, encoding="unicode", method="html") + "\n"


def data(element_id: str, value: object) -> Element:
    """JSON inside a page, for the page's own script; no text in it can end the script or start another."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    escaped = re.sub("[<>&\u2028\u2029]", lambda found: f"\\u{ord(found.group()):04x}", text)
    return code("script", escaped, {"type": "application/json", "id": element_id})


def code(tag: str, text: str, attributes: Mapping[str, object] | None = None) -> Element:
    """A ``script`` or ``style``, whose text is written as it is: only for what the program itself made."""
    assert f"</{tag}" not in text.lower()  # nothing in it may end the element
    element = e(tag, attributes)
    element.text = text
    return element


def each(tag: str, texts: Iterable[str]) -> list[Element]:
    """An element around each text."""
    return [e(tag, None, text) for text in texts]


def _append_text(parent: Element, text: str) -> None:
    if len(parent):
        parent[-1].tail = (parent[-1].tail or "") + text
    else:
        parent.text = (parent.text or "") + text


def _clean(text: str) -> str:
    """Without what HTML cannot hold: control characters, and halves of characters from names that are no text."""
    return _CONTROL.sub("\ufffd", text.encode("utf-8", "replace").decode("utf-8"))
