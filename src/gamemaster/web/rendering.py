"""Template + values -> a page, with what every page has: its token, and who it is for."""

from __future__ import annotations

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse

from gamemaster.web.guard import SESSION, remember, token_of, visitor_of
from gamemaster.web.markdown import markdown_html
from gamemaster.web.people.signing import account_in

__all__ = ["TEMPLATES", "fragment", "render"]

HERE = Path(__file__).parent
LONGEST_QUERY = 1_500
"""Of an address that somebody comes back to."""


def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters["svg"] = Markup  # drawings are made by us, and escaped where they are made
    made.filters["markdown"] = lambda text: Markup(markdown_html(text))
    return made


TEMPLATES = _environment()


def fragment(template: str, **values: object) -> str:
    """A piece of a page; the same template makes it for the first view and for an update."""
    return TEMPLATES.get_template(template).render(values)


def render(request: Request, template: str, status: int = 200, **values: object) -> HTMLResponse:
    """A whole page."""
    site = request.app.state.site
    text = fragment(
        template,
        token=token_of(site.secret, visitor_of(request), request.cookies.get(SESSION, "")),
        account=account_in(request),
        path=request.url.path,
        here=_here(request),
        is_getting_ready=site.is_getting_ready,
        **values,
    )
    # A page is for one visitor, and for now.
    response = HTMLResponse(text, status, {"cache-control": "private, no-store"})
    remember(request, response)
    return response


def _here(request: Request) -> str:
    """Where somebody is, to come back to after signing in; pages of signing itself are no place."""
    path, query = request.url.path, request.url.query
    if path.startswith("/sign"):
        return "/"
    return f"{path}?{query}" if query and len(query) < LONGEST_QUERY else path
