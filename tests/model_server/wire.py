"""The wire protocols: requests to records, and texts and errors to replies."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, cast

from tests.model_server import counting
from tests.model_server.records import Fault, Format, Protocol, Received

Json = dict[str, object]
_GEMINI = re.compile(
    r"^/(?:v[0-9a-z]+/)?models/([^/:]+(?:/[^/:]+)*):(generateContent|batchEmbedContents|embedContent)$"
)
_OPENAI: dict[str, Protocol] = {
    "/responses": "responses",
    "/chat/completions": "chat",
    "/embeddings": "openai_embeddings",
}
_STATUS_WORDS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


def protocol_of(path: str) -> Protocol | None:
    if match := _GEMINI.match(path):
        return "gemini" if match[2] == "generateContent" else "gemini_embeddings"
    return next((protocol for end, protocol in _OPENAI.items() if path.endswith(end)), None)


def parse(path: str, headers: Mapping[str, str], body: bytes, number: int) -> Received:
    """A request as a record.

    Raises:
        ValueError: it is not one of the protocols, or not well formed.
    """
    protocol = protocol_of(path)
    if protocol is None:
        raise ValueError(f"no such path: {path}")
    raw = cast("Json", json.loads(body))
    read = {"gemini": _gemini, "responses": _responses, "chat": _chat}.get(protocol, _embeddings)
    model, instructions, parts, schema, form, limit = read(path, raw)
    return Received(
        protocol=protocol,
        model=model,
        instructions=instructions,
        parts=parts,
        schema=schema or _written_schema(instructions),
        format=form,
        max_output_tokens=limit,
        number=number,
        at_s=time.monotonic(),
        key=headers.get("x-goog-api-key") or headers.get("authorization", "").removeprefix("Bearer "),
        path=path,
        raw=raw,
    )


# --- requests -----------------------------------------------------------------------------------

_Parsed = tuple[str, str, list[str | bytes], Json | None, Format, int | None]


def _gemini(path: str, raw: Json) -> _Parsed:
    config = _object(raw.get("generationConfig"))
    schema = config.get("responseJsonSchema") or config.get("responseSchema")
    is_json = config.get("responseMimeType") == "application/json"
    if schema and not is_json:
        raise ValueError("a schema needs responseMimeType application/json")
    parts: list[str | bytes] = []
    for content in _objects(raw["contents"]):
        for part in _objects(content["parts"]):
            if "inlineData" in part:
                encoded = str(_object(part["inlineData"])["data"])
                parts.append(base64.urlsafe_b64decode(encoded.replace("+", "-").replace("/", "_")))
            else:
                parts.append(str(part["text"]))
    system = _objects(_object(raw.get("systemInstruction")).get("parts", []))
    return (
        _gemini_model(path),
        "\n".join(str(part["text"]) for part in system),
        parts,
        _object(schema) or None,
        "json_schema" if schema else "json_object" if is_json else "text",
        _number(config.get("maxOutputTokens")),
    )


def _responses(_: str, raw: Json) -> _Parsed:
    system, parts = [str(raw["instructions"])] if raw.get("instructions") else [], list[str | bytes]()
    given = raw["input"]
    messages = [{"role": "user", "content": given}] if isinstance(given, str) else _objects(given)
    for message in messages:
        _openai_content(message, system, parts)
    schema, form = _openai_format(_object(_object(raw.get("text")).get("format")))
    return str(raw["model"]), "\n".join(system), parts, schema, form, _number(raw.get("max_output_tokens"))


def _chat(_: str, raw: Json) -> _Parsed:
    system, parts = list[str](), list[str | bytes]()
    for message in _objects(raw["messages"]):
        _openai_content(message, system, parts)
    given = _object(raw.get("response_format"))
    schema, form = _openai_format({**given, **_object(given.get("json_schema"))})
    limit = raw.get("max_completion_tokens", raw.get("max_tokens"))
    return str(raw["model"]), "\n".join(system), parts, schema, form, _number(limit)


def _embeddings(path: str, raw: Json) -> _Parsed:
    if "model" in raw:
        given = raw["input"]
        texts = [given] if isinstance(given, str) else cast("list[str]", given)
        return str(raw["model"]), "", list(texts), None, "text", None
    requests = _objects(raw.get("requests", [raw]))
    texts = [str(_objects(_object(request["content"])["parts"])[0]["text"]) for request in requests]
    return _gemini_model(path), "", list(texts), None, "text", None


def _openai_content(message: Json, system: list[str], parts: list[str | bytes]) -> None:
    content = message["content"]
    pieces = [{"type": "text", "text": content}] if isinstance(content, str) else _objects(content)
    for piece in pieces:
        if piece["type"] in ("text", "input_text"):
            (system if message["role"] in ("system", "developer") else parts).append(str(piece["text"]))
        elif piece["type"] in ("image_url", "input_image"):
            url = piece["image_url"]
            parts.append(base64.b64decode(str(url if isinstance(url, str) else _object(url)["url"]).partition(",")[2]))
        else:
            raise ValueError(f"content of type {piece['type']}")


def _openai_format(given: Json) -> tuple[Json | None, Format]:
    kind = given.get("type", "text")
    if kind == "text" or "name" in given or "schema" in given:
        kind = "json_schema" if "name" in given else kind
    schema = _object(given.get("schema")) or None
    if kind == "json_schema" and given.get("strict"):
        check_strict(schema or {})
    return schema, cast("Format", kind)


def check_strict(schema: object, path: str = "schema") -> None:
    """Refuse what OpenAI's strict mode refuses.

    Raises:
        ValueError: which says where.
    """
    if isinstance(schema, list):
        for number, item in enumerate(cast("list[object]", schema)):
            check_strict(item, f"{path}[{number}]")
    if not isinstance(schema, dict):
        return
    node = cast("Json", schema)
    if node.get("type") == "object" or "properties" in node:
        names = set(_object(node.get("properties")))
        if node.get("additionalProperties") is not False:
            raise ValueError(f"{path}: 'additionalProperties' is required to be supplied and to be false")
        if set(cast("list[str]", node.get("required", []))) != names:
            raise ValueError(f"{path}: 'required' is required to be an array including every key in properties")
    for key in ("default", "oneOf", "allOf", "patternProperties"):
        if key in node and not path.endswith(".properties"):
            raise ValueError(f"{path}: {key!r} is not permitted")
    if "$ref" in node and len(node) > 1:
        raise ValueError(f"{path}: $ref cannot have keywords beside it")
    for key, value in node.items():
        check_strict(value, f"{path}.{key}")


def _written_schema(instructions: str) -> Json | None:
    """The last line of the instructions that is a JSON schema."""
    for line in reversed(instructions.splitlines()):
        if line.startswith("{"):
            try:
                value = json.loads(line)
            except ValueError:
                continue
            if isinstance(value, dict) and ("properties" in value or "type" in value):
                return cast("Json", value)
    return None


# --- replies ------------------------------------------------------------------------------------


def reply(received: Received, text: str, finish: Literal["stop", "length"], cached: int, hidden: int) -> Json:
    """The body of a reply, with what it cost."""
    given, made = counting.input_tokens(received), counting.output_tokens(text)
    if received.protocol == "gemini":
        reason = "MAX_TOKENS" if finish == "length" else "STOP"
        content: Json = {"role": "model", "parts": [{"text": text}]} if text else {"role": "model"}
        return {
            "candidates": [{"content": content, "finishReason": reason, "index": 0}],
            "usageMetadata": _gemini_usage(given, made, cached, hidden),
            "modelVersion": received.model,
            "responseId": f"reply-{received.number}",
        }
    if received.protocol == "chat":
        return _chat_body(received, {"content": text}, finish, (given, made, cached, hidden))
    content = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    return _responses_body(
        received,
        content if text else None,
        "max_output_tokens" if finish == "length" else None,
        (given, made, cached, hidden),
    )


def refusal(received: Received, how: str) -> Json:
    """The body of a refused reply (HTTP 200)."""
    cost = (counting.input_tokens(received), 0, 0, 0)
    if received.protocol == "gemini":
        usage = _gemini_usage(*cost)
        if how == "prompt":
            return {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": usage, "modelVersion": received.model}
        reason = "SAFETY" if how == "filter" else "PROHIBITED_CONTENT"
        return {"candidates": [{"finishReason": reason, "index": 0}], "usageMetadata": usage}
    said = "I'm sorry, I can't help with that."
    if received.protocol == "chat":
        if how == "model":
            return _chat_body(received, {"content": None, "refusal": said}, "stop", cost)
        return _chat_body(received, {"content": None}, "content_filter", cost)
    if how == "model":
        return _responses_body(received, {"type": "refusal", "refusal": said}, None, cost)
    return _responses_body(received, None, "content_filter", cost)


def vectors(received: Received, rows: Sequence[Sequence[float]]) -> Json:
    if received.protocol == "gemini_embeddings":
        found = [{"values": list(row)} for row in rows]
        return {"embedding": found[0]} if received.path.endswith(":embedContent") else {"embeddings": found}
    spent = sum(counting.output_tokens(text) for text in received.texts)
    packed = received.raw.get("encoding_format") == "base64"
    return {
        "object": "list",
        "data": [
            {"object": "embedding", "index": index, "embedding": _packed(row) if packed else list(row)}
            for index, row in enumerate(rows)
        ],
        "model": received.model,
        "usage": {"prompt_tokens": spent, "total_tokens": spent},
    }


def error(protocol: Protocol | None, fault: Fault) -> tuple[int, dict[str, str], Json]:
    """Status, headers and body of an HTTP error."""
    if protocol is not None and protocol.startswith("gemini"):
        return _gemini_error(fault)
    headers: dict[str, str] = {}
    if fault.retry_after_s is not None:
        headers["retry-after"] = f"{fault.retry_after_s:g}"
    kind = {401: "authentication_error", 403: "permission_error", 429: "requests"}.get(fault.status)
    kind = kind or ("server_error" if fault.status >= 500 else "invalid_request_error")
    code = {"expired_key": "invalid_api_key"}.get(fault.code, fault.code) or None
    return fault.status, headers, {"error": {"message": fault.message, "type": kind, "param": None, "code": code}}


def _gemini_error(fault: Fault) -> tuple[int, dict[str, str], Json]:
    status, details = fault.status, list[Json]()
    if fault.retry_after_s is not None:
        details.append({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{fault.retry_after_s:g}s"})
    if fault.code == "insufficient_quota":
        quota = {"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier", "quotaValue": "20"}
        details.append({"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [quota]})
    if fault.code == "expired_key" and status != 403:
        status = 400
        details.append({"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"})
    word = _STATUS_WORDS.get(status, "UNKNOWN")
    return status, {}, {"error": {"code": status, "message": fault.message, "status": word, "details": details}}


def _gemini_usage(given: int, made: int, cached: int, hidden: int) -> Json:
    usage: Json = {"promptTokenCount": given, "totalTokenCount": given + made + hidden}
    for name, value in (("candidatesTokenCount", made), ("cachedContentTokenCount", cached)):
        if value:
            usage[name] = value
    return {**usage, "thoughtsTokenCount": hidden} if hidden else usage


def _chat_body(received: Received, message: Json, finish: str, cost: tuple[int, int, int, int]) -> Json:
    given, made, cached, hidden = cost
    return {
        "id": f"chatcmpl-{received.number}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": received.model,
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "refusal": None, **message},
                "logprobs": None,
                "finish_reason": finish,
            }
        ],
        "usage": {
            "prompt_tokens": given,
            "completion_tokens": made + hidden,
            "total_tokens": given + made + hidden,
            "prompt_tokens_details": {"cached_tokens": cached},
            "completion_tokens_details": {"reasoning_tokens": hidden},
        },
    }


def _responses_body(
    received: Received, content: Json | None, incomplete: str | None, cost: tuple[int, int, int, int]
) -> Json:
    given, made, cached, hidden = cost
    status = "incomplete" if incomplete else "completed"
    output: list[Json] = [{"type": "reasoning", "id": f"rs_{received.number}", "summary": []}] if hidden else []
    if content is not None:
        message: Json = {"type": "message", "id": f"msg_{received.number}", "role": "assistant", "status": status}
        output.append({**message, "content": [content]})
    return {
        "id": f"resp_{received.number}",
        "object": "response",
        "created_at": int(time.time()),
        "status": status,
        "error": None,
        "incomplete_details": {"reason": incomplete} if incomplete else None,
        "instructions": received.raw.get("instructions"),
        "model": received.model,
        "output": output,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "temperature": 1.0,
        "top_p": 1.0,
        "metadata": {},
        "usage": {
            "input_tokens": given,
            "input_tokens_details": {"cached_tokens": cached},
            "output_tokens": made + hidden,
            "output_tokens_details": {"reasoning_tokens": hidden},
            "total_tokens": given + made + hidden,
        },
    }


# --- JSON ---------------------------------------------------------------------------------------


def _gemini_model(path: str) -> str:
    match = _GEMINI.match(path)
    assert match is not None
    return match[1]


def _object(value: object) -> Json:
    return cast("Json", value) if isinstance(value, dict) else {}


def _objects(value: object) -> list[Json]:
    return [_object(item) for item in _items(value)]


def _items(value: object) -> Iterator[object]:
    if not isinstance(value, list):
        raise ValueError(f"a list is expected, not {value!r:.80}")
    yield from cast("list[object]", value)


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None


def _packed(row: Sequence[float]) -> str:
    import numpy as np

    return base64.b64encode(np.asarray(row, "<f4").tobytes()).decode()
