"""GET /api/v1: the page about the API, made from its OpenAPI schema; for programs the links of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from gamemaster.web.api.strictness import Answers, answers
from gamemaster.web.jobs import Plain
from gamemaster.web.rendering import render

__all__ = ["ANSWERS", "about"]

ROOT = "/api/v1"
SCHEMA = f"{ROOT}/openapi.json"
METHODS = ("get", "post")
ANSWERS: Answers = {200: {"content": {"text/html": {"schema": {"type": "string"}}}}, **answers(429)}

Schema = Mapping[str, Any]
"""A piece of an OpenAPI schema: plain data of whatever shape."""


async def about(request: Request) -> Response:
    """What there is: a page for people; links, where JSON is asked for."""
    schema: Schema = request.app.openapi()
    if _wants_json(request.headers.get("accept", "")):
        links = {path: path for path in schema["paths"] if "{" not in path and path != ROOT}
        return JSONResponse({"title": "Gamemaster HTTP API", "links": {"schema": SCHEMA, **links}})
    page: HTMLResponse = render(request, "api.html", parts=_by_tag(schema), schema=SCHEMA)
    return page


def _wants_json(accept: str) -> bool:
    return "application/json" in accept and "text/html" not in accept


def _by_tag(schema: Schema) -> dict[str, list[Plain]]:
    """The operations of each part, as the page shows them."""
    found: dict[str, list[Plain]] = {}
    for path, each in schema["paths"].items():
        for method in METHODS:
            if method in each and path.startswith(ROOT):
                operation = each[method]
                tag = operation.get("tags", ["other"])[0]
                found.setdefault(tag, []).append(_operation(schema, method, path, operation))
    return found


def _operation(schema: Schema, method: str, path: str, operation: Schema) -> Plain:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    given = operation["responses"]
    success = next(status for status in given if status.startswith("2"))
    return {
        "method": method.upper(),
        "path": path,
        "anchor": f"{method}-{path.removeprefix(ROOT).strip('/').replace('/', '-').strip('{}') or 'root'}",
        "words": operation.get("description", ""),
        "needs_key": bool(operation.get("security")),
        "parameters": [*_parameters(operation)],
        "fields": [*_fields(schema, body)] if body else [],
        "status": success,
        "kinds": ", ".join(given[success].get("content", {})),
        "answers": [
            *_fields(schema, given[success].get("content", {}).get("application/json", {}).get("schema"))
        ],
        "errors": [(status, each["description"]) for status, each in given.items() if status != success],
    }


def _parameters(operation: Schema) -> Iterator[Plain]:
    for each in operation.get("parameters", ()):
        yield {
            "name": each["name"],
            "kind": _kind(each["schema"]),
            "is_needed": each.get("required", False),
            "words": each.get("description", each["schema"].get("description", "")),
        }


def _fields(schema: Schema, of: Schema | None) -> Iterator[Plain]:
    """The fields of an object, where the schema says them."""
    found = _resolved(schema, of or {})
    for name, each in found.get("properties", {}).items():
        yield {
            "name": name,
            "kind": _kind(each),
            "is_needed": name in found.get("required", ()),
            "words": _words(each),
        }


def _words(piece: Schema) -> str:
    """What is said of a value, or of what it may be."""
    said = [piece, *piece.get("anyOf", ()), *([piece["items"]] if "items" in piece else [])]
    return next((each["description"] for each in said if "description" in each), "")


def _resolved(schema: Schema, piece: Schema) -> Schema:
    name = piece.get("$ref", "").rpartition("/")[2]
    return schema["components"]["schemas"][name] if name else piece


def _kind(piece: Schema) -> str:
    """What a value is, in a few words."""
    if "enum" in piece:
        return " or ".join(map(str, piece["enum"]))
    if "anyOf" in piece:
        return " or ".join(dict.fromkeys(_kind(each) for each in piece["anyOf"]))
    if piece.get("type") == "array":
        return f"list of {_kind(piece.get('items', {}))}"
    if "$ref" in piece:
        return str(piece["$ref"]).rpartition("/")[2]
    words = str(piece.get("type", "anything"))
    least, most = piece.get("minimum"), piece.get("maximum")
    return (
        f"{words} from {_figure(least)} to {_figure(most)}"
        if least is not None and most is not None
        else words
    )


def _figure(number: float) -> str:
    return f"{int(number):,}" if number == int(number) else f"{number:g}"
