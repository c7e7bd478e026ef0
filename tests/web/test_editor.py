"""The editor over HTTP: what is asked while somebody types, rules that mean no good, files in and out."""

from __future__ import annotations

import io
import json
import struct
import threading
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from gamemaster.games import find_rules
from gamemaster.web.guard import LARGEST_BODY
from gamemaster.web.writing import reading
from gamemaster.web.writing.beginning import from_game, from_skeleton
from gamemaster.web.writing.packing import MOST_ENTRIES, packed, unpacked
from gamemaster.web.writing.preview import MOST_FACTS, MOST_MOVES, MOST_STEPS, previewed
from gamemaster.web.writing.units import TextUnits, whole
from tests.web.running import RunningSite, Visitor, running_site

SKELETON = from_skeleton("hrf")
SMALL = """role(a) role(b)
init(pile(3)) init(control(a))
legal(R,take) :- true(control(R))
legal(R,wait) :- role(R) & ~true(control(R))
next(pile(N)) :- true(pile(M)) & minus(M,1,N)
next(control(b)) :- true(control(a))
next(control(a)) :- true(control(b))
terminal :- true(pile(0))
goal(R,100) :- true(control(R))
goal(R,0) :- role(R) & ~true(control(R))
"""
AT_ONCE = (
    "role(a) role(b) init(p) legal(R,m(1)) :- role(R) legal(R,m(2)) :- role(R) next(q(X)) :- does(a,m(X))\n"
)
ENDLESS = "role(a)\nn(0)\nn(N) :- n(M) & plus(M,1,N)\ninit(p(X)) :- n(X)\nlegal(a,go)\n"
GROWING = "role(a)\nn(z)\nn(s(X)) :- n(X)\ninit(p(X)) :- n(X)\nlegal(a,go)\n"
WIDE = f"""role(a) goal(a,0)
{" ".join(f"d({n})" for n in range(400))}
init(p(A,B,C)) :- d(A) & d(B) & d(C)
legal(a,go(A,B)) :- d(A) & d(B)
terminal :- true(p(0,0,0))
"""
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    with running_site(tmp_path_factory.mktemp("site")) as running:
        yield running


@pytest.fixture
def visitor(site: RunningSite) -> Visitor:
    return Visitor(site.address)


def asked(visitor: Visitor, what: str, **wish: object) -> httpx.Response:
    return visitor.client.post(f"/editor/{what}.json", json={"notation": "hrf", **wish})


def answer(visitor: Visitor, what: str, **wish: object) -> Any:
    response = asked(visitor, what, **wish)
    assert response.status_code == 200, response.text
    return response.json()


def sent(visitor: Visitor, **values: str) -> httpx.Response:
    """The form, as a browser without scripts sends it."""
    visitor.get("/editor")
    form = {"title": "Mine", "rules": SMALL, "notation": "hrf", "token": visitor.token, **values}
    return visitor.client.post("/editor", files={name: (None, value) for name, value in form.items()})


# What is asked while somebody types


def test_a_mistake_is_found_at_its_place_and_gone_when_mended(visitor: Visitor) -> None:
    broken = SMALL.replace("legal(R,take) :- true(control(R))", "legal(R,take) :- true(control(R)")
    (finding,) = answer(visitor, "look", rules=broken)["findings"]
    assert (finding["severity"], finding["line"]) == ("error", 4)
    assert broken[finding["start"] : finding["end"]] == "legal"
    assert answer(visitor, "look", rules=SMALL)["findings"] == []


def test_colours_and_outline_are_told_with_places_as_browsers_count(visitor: Visitor) -> None:
    text = f"% 𝔸𝔸 is wide\n{SMALL}"
    found = answer(visitor, "look", rules=text)
    units = text.encode("utf-16-le")
    triples = [found["tokens"][n : n + 3] for n in range(0, len(found["tokens"]), 3)]
    words = [units[2 * start : 2 * end].decode("utf-16-le") for start, end, _ in triples]
    assert words[:3] == ["% 𝔸𝔸 is wide", "role", "a"]
    assert triples[1][2] == reading.COLOURS.index("word")
    entry = found["outline"][0]
    assert (entry["name"], entry["line"], entry["start"]) == ("role/1", 2, triples[1][0])


@pytest.mark.parametrize("text", ["", "plain", "a𝔸b𝔸", "𝔸"])
def test_units_and_characters_are_told_apart(text: str) -> None:
    units = TextUnits.of(text)
    for offset in range(len(text) + 1):
        counted = len(text[:offset].encode("utf-16-le")) // 2
        assert units.units(offset) == counted
        assert units.offset(counted) == offset
    if "𝔸" in text:
        at = units.units(text.index("𝔸"))
        assert units.offset(at + 1) == text.index("𝔸")


def test_words_of_the_sheet_and_of_the_language_are_offered(visitor: Visitor) -> None:
    text = SMALL + "goal(R,50) :- tr"
    found = answer(visitor, "complete", rules=text, at=len(text))
    assert text[found["start"] : found["end"]] == "tr"
    assert next(each["text"] for each in found["items"]) == "true"
    text = SMALL + "next(pi"
    assert "pile" in {each["text"] for each in answer(visitor, "complete", rules=text, at=len(text))["items"]}
    assert answer(visitor, "complete", rules="% a comment", at=5)["items"] == []


def test_help_says_what_stands_there_and_where_it_is_defined(visitor: Visitor) -> None:
    found = answer(visitor, "help", rules=SMALL, at=SMALL.index("terminal"))
    assert found["help"]["title"] == "terminal"
    found = answer(visitor, "help", rules=SMALL, at=SMALL.rindex("role"))
    assert [each["line"] for each in found["definitions"]] == [1, 1]
    assert answer(visitor, "help", rules=" ", at=0) == {"help": None, "definitions": []}


def test_a_text_is_laid_out_only_where_it_can_be_read(visitor: Visitor) -> None:
    assert (
        answer(visitor, "format", rules="role(a)   legal(a,go):-role(a)")["rules"]
        == "role(a)\nlegal(a,go) :- role(a)\n"
    )
    refused = asked(visitor, "format", rules="role(a\n")
    assert refused.status_code == 422
    assert "line " in refused.json()["error"]


@pytest.mark.parametrize(
    ("notation", "wanted"), [("epilog", "kif"), ("kif", "hrf"), ("hrf", "kif"), ("epilog", "hrf")]
)
def test_a_game_in_another_notation_plays_the_same(notation: Any, wanted: Any, visitor: Visitor) -> None:
    text = from_skeleton(notation).rules
    found = answer(visitor, "convert", rules=text, notation=notation, to=wanted)
    states: list[Any] = [previewed(text, notation, "", ()), previewed(found["rules"], wanted, "", ())]
    assert states[0]["facts"] == states[1]["facts"]
    legal = [
        {role: set(each["items"]) - {"noop"} for role, each in state["legal"].items()} for state in states
    ]
    assert legal[0] == legal[1]


def test_what_cannot_be_said_in_a_notation_is_refused_in_words(visitor: Visitor) -> None:
    refused = asked(visitor, "convert", rules=SMALL, to="epilog")
    assert refused.status_code == 422
    assert "cannot be turned into Epilog" in refused.json()["error"]
    refused = asked(visitor, "convert", rules="role(", to="kif")
    assert "once it can be read" in refused.json()["error"]
    wide = "a(X) :- " + " & ".join(["b(X)"] * 1_200)
    assert "it cannot be converted" in asked(visitor, "convert", rules=wide, to="kif").json()["error"]


def test_random_play_finds_what_reading_does_not(visitor: Visitor) -> None:
    stuck = SMALL.replace("legal(R,take) :- true(control(R))", "legal(a,take) :- true(control(a))")
    assert not {"no-move"} & {each["code"] for each in answer(visitor, "look", rules=stuck)["findings"]}
    assert "no-move" in {each["code"] for each in answer(visitor, "check", rules=stuck)["findings"]}


# The game as it stands


def test_moves_are_made_and_what_is_no_move_any_more_is_taken_back(visitor: Visitor) -> None:
    found = answer(visitor, "state", rules=SMALL, moves="take;take")
    assert (found["step"], found["askers"], found["line"]) == (2, ["a"], [["take"], ["take"]])
    assert "pile(1)" in found["html"]
    over = answer(visitor, "state", rules=SMALL, moves="take;take;take")
    assert over["is_terminal"]
    assert over["status"] == "Step 3: over, b wins"
    changed = answer(visitor, "state", rules=SMALL.replace("take", "grab"), moves="take;take")
    assert (changed["step"], changed["line"]) == (0, [])
    assert "Step 1 cannot be made any more" in changed["cut"]
    beyond = answer(visitor, "state", rules=SMALL, moves="take;take;take;take")
    assert beyond["step"] == 3
    assert "over after 3 steps" in beyond["cut"]


def test_those_who_choose_at_once_choose_together(visitor: Visitor) -> None:
    found = answer(visitor, "state", rules=AT_ONCE, moves="m(2)|m(1)")
    assert found["askers"] == ["a", "b"]
    assert "q(2)" in found["html"]
    assert found["status"] == "Step 1: a and b choose at once"


def test_a_text_that_is_no_game_is_no_failure(visitor: Visitor) -> None:
    assert answer(visitor, "state", rules="role(a\n")["trouble"].startswith("No game yet. Line ")
    assert "trouble" in answer(visitor, "state", rules="")
    assert answer(visitor, "state", rules="role(a) init(p)")["status"] == "Step 0: nobody can move"


def test_a_style_is_drawn_and_one_that_does_not_fit_is_told(visitor: Visitor) -> None:
    game = from_game("tictactoe")
    wish = {"rules": game.rules, "notation": game.notation, "moves": "mark(2,2)"}
    styled = answer(visitor, "state", **wish, style=game.style)
    assert "style" not in styled["html"]
    wrong = answer(visitor, "state", **wish, style='[[board]]\nrelation = "nothing"\n')
    assert "The style does not fit these rules" in wrong["html"]
    assert "line 2" in wrong["html"]
    assert wrong["svg"]


def test_a_state_that_cannot_be_found_out_is_shown_as_far_as_it_can(visitor: Visitor) -> None:
    rules = "role(a)\ninit(p)\nlegal(a,go) :- far(0)\nfar(N) :- plus(N,1,M) & far(M)\ngoal(a,0)\nterminal :- true(q)\n"
    found = answer(visitor, "state", rules=rules)
    assert "Legal moves cannot be found out" in found["html"]
    assert ">p<" in found["html"]


def test_markup_in_rules_stays_text(visitor: Visitor) -> None:
    rules = f'role(a) init(p("{SCRIPT}")) init(cell(1,1,"{SCRIPT}")) legal(a,go("{SCRIPT}")) goal(a,0)'
    found = answer(visitor, "state", rules=rules)
    assert "&lt;script" in found["html"]
    assert "<script" not in found["html"] + found["svg"]
    assert SCRIPT not in sent(visitor, rules=rules).text


def test_who_has_no_move_where_everybody_must_is_told_at_once(visitor: Visitor) -> None:
    rules = "(role a) (role b) (init p) (legal a go) (goal a 0) (goal b 0)\n"
    rules += "(<= (next p) (true p))\n(<= terminal (true q))\n"
    told = "b has no legal move here"
    assert told in answer(visitor, "state", rules=rules, notation="kif")["html"]
    mended = rules + "(legal b noop)"
    assert told not in answer(visitor, "state", rules=mended, notation="kif")["html"]
    over = rules + "(<= terminal (true p))"
    assert told not in answer(visitor, "state", rules=over, notation="kif")["html"]
    in_turn = from_game("tictactoe")
    found = answer(visitor, "state", rules=in_turn.rules, notation=in_turn.notation)
    assert "no legal move here" not in found["html"]


def test_what_is_wrong_in_a_state_is_told_with_its_line_and_not_with_the_name_of_a_draft(
    visitor: Visitor,
) -> None:
    rules = "role(a)\ninit(p(1))\ninit(control(a))\nlegal(take(N)) :- p(M)\ngoal(a,0)\nterminal :- p(2)\n"
    found = answer(visitor, "state", rules=rules, notation="epilog")
    assert "Legal moves cannot be found out: line 4: " in found["html"]


def test_too_many_steps_are_refused(visitor: Visitor) -> None:
    refused = asked(visitor, "state", rules=SMALL, moves=";".join(["take"] * (MOST_STEPS + 1)))
    assert refused.status_code == 422
    assert "steps" in refused.json()["error"]


# Rules that mean no good


@pytest.mark.slow
@pytest.mark.parametrize("rules", [ENDLESS, GROWING, "p :- " + "~" * 5_000 + "q", "(" * 100_000, WIDE])
def test_rules_that_ask_for_too_much_are_told_so_while_others_are_served(
    rules: str, visitor: Visitor, site: RunningSite
) -> None:
    other = httpx.Client(
        base_url=site.address, transport=httpx.HTTPTransport(local_address="127.0.0.2"), timeout=120
    )
    with other, ThreadPoolExecutor(4) as pool:
        hostile = [pool.submit(asked, visitor, "state", rules=rules) for _ in range(3)]
        hostile += [pool.submit(asked, visitor, "look", rules=rules)]
        look = other.post("/editor/look.json", json={"rules": SMALL, "notation": "hrf"})
        assert look.json()["findings"] == []
        assert other.get("/standalone/tictactoe").status_code == 200
        answers = [each.result() for each in hostile]
    assert {each.status_code for each in answers} == {200}
    state = answers[0].json()
    assert "trouble" in state or state["html"]
    assert len(answers[0].content) < 4_000_000
    assert answer(visitor, "look", rules=SMALL)["findings"] == []  # and it goes on


def test_of_very_much_only_some_is_shown() -> None:
    rules = WIDE.replace("init(p(A,B,C)) :- d(A) & d(B) & d(C)", "init(p(A,B)) :- d(A) & d(B) & less(A,40)")
    found: Any = previewed(rules, "hrf", "", ())
    assert len(found["facts"]["items"]) == MOST_FACTS
    assert len(found["facts"]["items"]) + found["facts"]["more"] == 16_000
    assert len(found["legal"]["a"]["items"]) == MOST_MOVES
    assert any("too many to be clicked" in each for each in found["troubles"])
    long = previewed(f"role(a) init({'p' * 5_000})", "hrf", "", ())
    assert len(long["facts"]["items"][0]) < 400  # type: ignore[index]


def test_four_megabytes_of_text_are_turned_away(visitor: Visitor) -> None:
    huge = "% " + "x" * 4_000_000
    assert asked(visitor, "look", rules=huge).status_code == 413
    assert asked(visitor, "state", rules=huge).status_code == 413
    assert asked(visitor, "look", rules="x" * (LARGEST_BODY - 5_000)).status_code == 422
    assert answer(visitor, "look", rules="% " + "x" * 250_000)["findings"]
    assert answer(visitor, "look", rules=SMALL)["findings"] == []


@pytest.mark.slow
def test_a_thousand_edits_a_second_keep_nobody_else_waiting(site: RunningSite) -> None:
    loud = httpx.HTTPTransport(local_address="127.0.0.3", limits=httpx.Limits(max_connections=60))
    quiet = httpx.HTTPTransport(local_address="127.0.0.2")
    statuses: list[int] = []
    with (
        httpx.Client(base_url=site.address, transport=loud, timeout=120) as flood,
        httpx.Client(base_url=site.address, transport=quiet, timeout=120) as other,
        ThreadPoolExecutor(60) as pool,
    ):

        def edit(number: int) -> None:
            wish = {"rules": f"{SMALL}% {number}", "notation": "hrf"}
            statuses.append(flood.post("/editor/look.json", json=wish).status_code)

        edits = [pool.submit(edit, number) for number in range(1_000)]
        for number in range(5):
            found = other.post("/editor/look.json", json={"rules": f"{SMALL}%% {number}", "notation": "hrf"})
            assert found.status_code == 200
        for each in edits:
            each.result()
    assert set(statuses) <= {200, 429}
    assert 200 in statuses
    assert 429 in statuses


@pytest.mark.parametrize(
    "wish",
    [
        {"rules": SMALL, "notation": "prolog"},
        {"rules": SMALL},
        {"notation": "hrf"},
        {"rules": 5, "notation": "hrf"},
        {"rules": SMALL, "notation": "hrf", "more": 1},
        [],
        "text",
    ],
)
def test_questions_that_are_none_are_refused(wish: object, visitor: Visitor) -> None:
    for what in ("look", "check", "format", "state"):
        refused = visitor.client.post(f"/editor/{what}.json", json=wish)
        assert refused.status_code == 422
        assert refused.json()["error"]


@pytest.mark.parametrize("at", [-1, 10**9, "x", None])
def test_a_place_that_is_none_is_refused(at: object, visitor: Visitor) -> None:
    assert asked(visitor, "complete", rules=SMALL, at=at).status_code == 422
    assert answer(visitor, "complete", rules="", at=5)["items"] is not None


def test_half_a_character_breaks_nothing(visitor: Visitor) -> None:
    body = '{"rules": "role(a) % \\ud800 \\n p(\\udfff)", "notation": "hrf"}'
    headers = {"content-type": "application/json"}
    for what in ("look", "state", "format"):
        found = visitor.client.post(f"/editor/{what}.json", content=body, headers=headers)
        assert found.status_code in (200, 422), what
        assert found.json()
    assert whole("a\ud800b") == "a\ufffdb"


def test_another_site_cannot_ask(visitor: Visitor) -> None:
    found = visitor.client.post(
        "/editor/look.json", json={"rules": "", "notation": "hrf"}, headers={"origin": "http://elsewhere"}
    )
    assert found.status_code == 403


# What to start from


@pytest.mark.parametrize("notation", ["kif", "hrf", "epilog"])
def test_a_skeleton_in_any_notation_has_nothing_wrong(notation: Any, visitor: Visitor) -> None:
    page = visitor.get(f"/editor?new={notation}")
    assert page.status_code == 200
    assert f'<option value="{notation}" selected>' in page.text
    begin = from_skeleton(notation)
    assert begin.description == ""  # or the game that comes of it would be told to be this one
    assert answer(visitor, "look", rules=begin.rules, notation=notation)["findings"] == []
    assert answer(visitor, "state", rules=begin.rules, notation=notation)["svg"]


def test_a_game_of_the_library_is_opened_with_all_that_belongs_to_it(visitor: Visitor) -> None:
    page = visitor.get("/editor?game=connectfour:columns=7").text
    data = json.loads(page.partition('id="editor-data">')[2].partition("</script>")[0])
    assert data["from"] == "game:connectfour:columns=7"
    assert "columns(7)" in data["given"]["rules"]
    assert data["given"]["style"]
    assert "**Goal.**" in data["given"]["description"]


@pytest.mark.parametrize(
    "query", ["game=nothing", "game=../../etc", "game=@0123456789abcdef0123", "new=prolog", f"game={SCRIPT}"]
)
def test_what_is_not_there_cannot_be_opened(query: str, visitor: Visitor) -> None:
    page = visitor.get(f"/editor?{query}")
    assert page.status_code in (404, 422)
    assert SCRIPT not in page.text


def test_a_game_of_ones_own_is_for_who_has_it(visitor: Visitor) -> None:
    response = visitor.get("/editor?own=0123")
    assert response.status_code == 303
    assert response.headers["location"] == "/signin?next=/editor%3Fown%3D0123"


# Without scripts


def test_a_form_is_checked_and_what_was_typed_comes_back(visitor: Visitor) -> None:
    broken = SMALL.replace("terminal", "&")
    page = sent(visitor, rules=broken, title=SCRIPT, description="d" + SCRIPT, do="check")
    assert page.status_code == 200
    assert "Line 8" in page.text
    assert "No game yet" in page.text
    assert "next(control(a)) :- true(control(b))\n&amp; :- true(pile(0))" in page.text
    assert SCRIPT not in page.text.partition('id="editor-data"')[0]
    page = sent(visitor, rules=SKELETON.rules, do="check")
    assert "Nothing is wrong" in page.text
    assert "Step 0: red to move" in page.text


def test_a_form_makes_moves_and_takes_them_back(visitor: Visitor) -> None:
    page = sent(visitor, choice="take").text
    assert "Step 1: b to move" in page
    assert 'name="moves" value="take"' in page
    assert "Step 2: a to move" in sent(visitor, moves="take", choice="take").text
    assert "Step 1: b to move" in sent(visitor, moves="take;take", do="back").text
    assert "Step 0: a to move" in sent(visitor, moves="take;take", do="reset").text
    both = sent(visitor, rules=AT_ONCE).text
    assert '<select name="choice" form="editor-form">' in both


def test_hostile_rules_in_a_form_are_a_finding(visitor: Visitor) -> None:
    page = sent(visitor, rules=GROWING, do="check")
    assert page.status_code == 200
    assert "These rules take too much" in page.text
    assert "finding is-error" in page.text


def test_a_form_that_is_too_old_loses_nothing(visitor: Visitor) -> None:
    page = sent(visitor, token="0" * 64, do="play")
    assert page.status_code == 403
    assert "this form is too old" in page.text
    assert "legal(R,take)" in page.text


def test_a_form_that_asks_for_something_else_is_refused(visitor: Visitor) -> None:
    page = sent(visitor, do="delete")
    assert page.status_code == 422
    assert "does not &#39;delete&#39;" in page.text
    assert sent(visitor, notation="prolog").status_code == 422


def test_it_is_played_as_it_stands(visitor: Visitor) -> None:
    response = sent(visitor, do="play", moves="take")
    assert response.status_code == 303
    place = response.headers["location"]
    assert place.startswith("/standalone/@")
    assert "b to move" in visitor.get(place).text
    style = sent(visitor, do="style").headers["location"]
    assert style == f"/style?game={place.removeprefix('/standalone/').partition('?')[0]}"
    refused = sent(visitor, do="play", rules="role(a\n")
    assert refused.status_code == 422
    assert "role(a" in refused.text
    refused = sent(visitor, do="play", title="")
    assert refused.status_code == 422
    assert "a title has 1 to" in refused.text


def test_what_is_saved_needs_a_name_and_is_found_again(site: RunningSite) -> None:
    ada = Visitor(site.address)
    refused = sent(ada, do="save")
    assert refused.status_code == 403
    assert "sign in first" in refused.text
    assert "legal(R,take)" in refused.text
    ada.get("/signup")
    assert (
        ada.client.post(
            "/signup", data={"token": ada.token, "name": "Ada", "password": "correct horse battery"}
        ).status_code
        == 303
    )
    assert sent(ada, do="save", visibility="private").headers["location"] == "/mine?done=saved"
    own = ada.get("/mine").text.partition("/editor?own=")[2].partition('"')[0]
    page = ada.get(f"/editor?own={own}")
    assert "legal(R,take)" in page.text
    who = ada.client.get("/editor/who.json").json()
    assert who["name"] == "Ada"
    base = page.text.partition('name="base" value="')[2].partition('"')[0]
    form = {"title": "Mine again", "rules": SMALL + "% more", "notation": "hrf", "own": own, "do": "save"}
    form["base"] = base
    saved = ada.client.post(
        "/editor", data={**form, "token": who["token"]}, headers={"accept": "application/json"}
    )
    assert saved.json()["own"] == own
    assert saved.json()["say"] == "Saved as Mine again, for only you."
    assert "% more" in ada.get(f"/editor?own={own}").text
    again = ada.client.post(  # from what it was before: the newer version stays
        "/editor",
        data={**form, "rules": SMALL + "% old", "token": who["token"]},
        headers={"accept": "application/json"},
    )
    assert (again.status_code, again.json()["isOvertaken"]) == (409, True)
    assert "% more" in ada.get(f"/editor?own={own}").text
    without_scripts = ada.client.post("/editor", data={**form, "token": who["token"]})
    assert without_scripts.status_code == 409
    assert 'name="over"' in without_scripts.text
    assert "changed elsewhere since you began" in without_scripts.text
    over = {**form, "rules": SMALL + "% more", "over": "yes", "token": who["token"]}
    for visibility, words in (("link", "whoever has the link"), ("private", "only you")):
        shown = {**over, "visibility": visibility}
        saved = ada.client.post("/editor", data=shown, headers={"accept": "application/json"})
        assert saved.json()["say"] == f"Saved as Mine again, for {words}."
    eve = Visitor(site.address)
    assert eve.get(saved.json()["go"]).status_code == 404
    as_json = eve.client.post("/editor", data=form, headers={"accept": "application/json"})
    assert as_json.status_code == 403
    assert as_json.json()["error"]
    guest = eve.client.get("/editor/who.json").json()
    as_json = eve.client.post(
        "/editor", data={**form, "token": guest["token"]}, headers={"accept": "application/json"}
    )
    assert (as_json.status_code, guest["name"]) == (403, "")


# Files


def zip_of(files: dict[str, str | bytes], *, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo("placeholder")
            info.filename = name
            archive.writestr(info, content, method)
    return buffer.getvalue()


def told(raw: bytes, name: str = "game.zip") -> tuple[Any, str]:
    found: Any = unpacked(name, raw)
    return found["sheet"], " | ".join(each["message"] for each in found["findings"])


def test_a_folder_goes_out_and_comes_in_as_it_was(visitor: Visitor) -> None:
    texts = {
        "title": "Mine: the “game”",
        "style": 'hide = ["control"]\n',
        "description": "# Mine\n\nPlay it.\n",
    }
    response = sent(visitor, do="export", **texts)
    assert response.headers["content-type"] == "application/zip"
    assert response.headers["content-disposition"] == 'attachment; filename="mine_the_game.zip"'
    with zipfile.ZipFile(io.BytesIO(response.content)) as archive:
        assert sorted(archive.namelist()) == [
            f"mine_the_game/{each}" for each in ("description.md", "game.toml", "rules.hrf", "style.toml")
        ]
        assert 'roles = ["a", "b"]' in archive.read("mine_the_game/game.toml").decode()
    back = visitor.client.post("/editor/import.json?name=x.zip", content=response.content)
    assert back.json() == {"sheet": {**texts, "rules": SMALL, "notation": "hrf"}, "findings": []}


def test_every_folder_of_the_library_comes_in(visitor: Visitor) -> None:
    for game in ("tictactoe", "connectfour", "tron"):
        folder = find_rules(game).parent
        raw = zip_of(
            {f"{game}/{path.name}": path.read_bytes() for path in folder.iterdir() if path.is_file()}
        )
        sheet, _ = told(raw)
        assert sheet["rules"] == find_rules(game).read_text()
        assert sheet["style"] == (folder / "style.toml").read_text()


def test_a_file_of_rules_comes_in_by_its_name(visitor: Visitor) -> None:
    found = visitor.client.post("/editor/import.json?name=nim_3.kif", content=b"\xef\xbb\xbf(role a)\r\n")
    assert found.json()["sheet"] == {
        "title": "Nim 3", "notation": "kif", "rules": "(role a)\n", "style": "", "description": "",
    }  # fmt: skip
    sheet, said = told(b"(role a)", "rules.txt")
    assert (sheet["notation"], sheet["title"]) == ("kif", "")
    assert "taken for KIF" in said
    empty = visitor.client.post("/editor/import.json?name=a.kif", content=b"")
    assert (empty.status_code, empty.json()["error"]) == (422, "the file is empty")


def test_files_in_other_encodings_are_told() -> None:
    sheet, said = told("role(a) % größe".encode("latin-1"), "a.hrf")
    assert "\N{REPLACEMENT CHARACTER}" in sheet["rules"]
    assert "is not written in UTF-8: line 1" in said
    assert told("role(a)".encode("utf-16"), "a.hrf") == (None, "a.hrf is written in UTF-16")
    assert told(b"\x7fELF\0\0", "a.hrf") == (None, "a.hrf is no text")


def test_a_zip_that_unpacks_to_very_much_is_not_unpacked() -> None:
    bomb = zip_of({"game/rules.hrf": b" " * 100_000_000})
    assert len(bomb) < LARGEST_BODY
    sheet, said = told(bomb)
    assert sheet is None
    assert "rules.hrf unpacks to more than" in said
    many = zip_of({f"a/{number}": "" for number in range(MOST_ENTRIES + 1)})
    assert "201 entries" in told(many)[1]


def test_what_a_zip_says_of_sizes_moves_nothing() -> None:
    raw = bytearray(zip_of({"rules.hrf": b" " * 50_000_000}))
    at = raw.rindex(b"PK\x01\x02")
    raw[at + 24 : at + 28] = struct.pack("<I", 10)  # it says that it has ten bytes
    sheet, said = told(bytes(raw))
    assert sheet is None or len(sheet["rules"]) <= 10
    assert said


@pytest.mark.parametrize(
    "name",
    [
        "../rules.hrf",
        "/etc/rules.hrf",
        "a/../../rules.hrf",
        "..\\rules.hrf",
        "C:/rules.hrf",
        "a//rules.hrf",
        "a\nb/rules.hrf",
    ],
)
def test_names_with_tricks_are_left_out(name: str) -> None:
    sheet, said = told(zip_of({name: "role(evil)", "good/rules.hrf": "role(a)"}))
    assert sheet["rules"] == "role(a)"
    assert "is no name of a file" in said
    assert told(zip_of({name: "role(evil)"}))[0] is None


def test_zips_that_are_no_folder_of_a_game_are_told_why() -> None:
    assert "no rules in it" in told(zip_of({"game.toml": 'title = "A"'}))[1]
    assert "2 games: 'a', 'b'" in told(zip_of({"a/rules.hrf": "", "b/rules.kif": ""}))[1]
    assert "rules in 2 notations" in told(zip_of({"rules.hrf": "", "rules.kif": ""}))[1]
    assert "cannot be read" in told(b"PK\x03\x04 and no more")[1]
    assert "cannot be read" in told(b"nothing", "a.zip")[1]
    assert (
        "has 300,000 letters"
        in told(zip_of({"rules.hrf": "% " + "ab" * 149_999}, method=zipfile.ZIP_STORED))[1]
    )
    sheet, said = told(
        zip_of({"rules.hrf": "role(a)", "photo.png": b"\x89PNG", "__MACOSX/rules.hrf": "", ".git/x": ""})
    )
    assert sheet["rules"] == "role(a)"
    assert said == "'photo.png' does not belong to a game: it is left out"


def test_damaged_locked_and_linked_files_are_told() -> None:
    raw = bytearray(zip_of({"rules.hrf": "role(a) " * 50}, method=zipfile.ZIP_STORED))
    raw[60] ^= 0xFF
    assert "is damaged in the zip" in told(bytes(raw))[1]
    locked = bytearray(zip_of({"rules.hrf": "role(a)"}))
    locked[6] |= 1
    locked[locked.rindex(b"PK\x01\x02") + 8] |= 1
    assert "is encrypted" in told(bytes(locked))[1]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        link = zipfile.ZipInfo("rules.hrf")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    assert told(buffer.getvalue()) == (None, "rules.hrf is a link to something else")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_file_that_is_there_twice_counts_once() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("rules.hrf", "role(a)")
        archive.writestr("rules.hrf", "role(b)")
    sheet, said = told(buffer.getvalue())
    assert sheet["rules"] == "role(a)"
    assert "is there twice" in said


def test_a_game_toml_gives_the_title_and_a_wrong_one_nothing() -> None:
    sheet, said = told(
        zip_of({"rules.hrf": "", "game.toml": 'title = "A  game"\nkind = "board"\nperft = [1]\n'})
    )
    assert sheet["title"] == "A game"
    assert said == "of game.toml the title is used; kind, perft stays behind"
    sheet, said = told(zip_of({"rules.hrf": "", "game.toml": "title ="}), "my_game.zip")
    assert sheet["title"] == "My Game"
    assert "game.toml is not used" in said


def test_only_the_three_notations_are_packed() -> None:
    with pytest.raises(ValueError, match="rules are written as"):
        packed("A", "", "prolog", "", "")  # type: ignore[arg-type]
    assert packed("…", "role(X) :- p(X)", "hrf", "", "")[0] == "game"


def test_a_bad_zip_over_http_is_a_clear_refusal(visitor: Visitor) -> None:
    refused = visitor.client.post("/editor/import.json?name=a.zip", content=zip_of({"../rules.hrf": ""}))
    assert refused.status_code == 422
    assert "no rules in it" in refused.json()["error"]
    assert visitor.client.post("/editor/import.json?name=a.zip", content=b"x" * 400_000).status_code == 413


def test_many_tabs_at_once_are_all_answered(visitor: Visitor) -> None:
    found: list[int] = []
    threads = [
        threading.Thread(
            target=lambda n=n: found.append(asked(visitor, "look", rules=f"{SMALL}%{n}").status_code)
        )
        for n in range(12)
    ]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == [200] * 12
