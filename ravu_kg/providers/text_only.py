"""Models that take no images, judged by their names; any other is taken to see."""

from __future__ import annotations

import re

_NAMES = (
    r"gpt-3\.5",
    r"gpt-4(?:-\d|-32k|$)",  # before its turbo
    r"gpt-oss",
    r"o1-mini|o1-preview|o3-mini",
    r"davinci|babbage",
    r"(?:meta-)?llama-?[23](?!.*vision)",
    r"qwen-?(?:1|1\.5|2|2\.5|3)(?![\d.])(?!.*(?:vl|omni))",
    r"gemma(?:[:-]\d+b|$)|gemma-?2(?!\d)|gemma-?3[:-](?:1b|270m)",
    r"(?:smollm|phi-?[1234]|deepseek|granite|olmo|falcon|command-r)(?!.*(?:vl|vision|ocr|multimodal))",
    r"tinyllama|codellama|mixtral|mistral(?:-7b|:|$)",
)
_TEXT_ONLY = re.compile("|".join(_NAMES), re.IGNORECASE)


def takes_images(model: str) -> bool:
    """Whether requests of a model may hold images, as far as its name tells."""
    return _TEXT_ONLY.match(model.rpartition("/")[2]) is None
