"""What bodies and answers look like. What is not said here is refused: other fields, other types, larger texts."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from gamemaster.language.findings import Severity
from gamemaster.language.rules import Notation
from gamemaster.match.drawing import LARGEST_SEED
from gamemaster.store.entries import MatchStatus, SeatKind
from gamemaster.web.jobs import LONGEST_NAME, MOST_STEPS
from gamemaster.web.live.setup import LEAST_CLOCK, LONGEST_CLOCK, LONGEST_PACE
from gamemaster.web.live.table import MatchPhase
from gamemaster.web.shelf import Size
from gamemaster.web.thinking import LEAST_THOUGHT, LONGEST_THOUGHT

__all__ = [
    "ArrangedAnswer",
    "CheckAnswer",
    "CheckBody",
    "ErrorAnswer",
    "GameAnswer",
    "GameRow",
    "GamesAnswer",
    "LinksAnswer",
    "ListedMatch",
    "LiveAnswer",
    "MatchAnswer",
    "MatchBody",
    "MatchesAnswer",
    "NextBody",
    "ParameterRow",
    "PictureBody",
    "PlaceBody",
    "PlayersAnswer",
    "RegisteredRow",
    "SeatRow",
    "StateAnswer",
    "StepMoves",
    "ThinkingAnswer",
    "ThinkingBody",
    "VariantRow",
]

LONGEST_RULES = 200_000
MOST_FACTS = 5_000
MOST_ROLES = 50
LONGEST_MOVE = 400
MOST_PARAMETERS = 20
LARGEST_THINKING_SEED = 2**31 - 1

GameName = Annotated[
    str,
    StringConstraints(min_length=1, max_length=LONGEST_NAME),
    Field(
        description="A game of the library, or a variant: `connectfour:columns=7`.",
        json_schema_extra={"format": "game"},
    ),
]
RoleName = Annotated[
    str, StringConstraints(min_length=1, max_length=100), Field(json_schema_extra={"format": "role"})
]
MoveText = Annotated[
    str, StringConstraints(min_length=1, max_length=LONGEST_MOVE), Field(json_schema_extra={"format": "move"})
]
FactText = Annotated[
    str, StringConstraints(min_length=1, max_length=LONGEST_MOVE), Field(json_schema_extra={"format": "fact"})
]
RulesText = Annotated[
    str,
    StringConstraints(min_length=1, max_length=LONGEST_RULES),
    Field(description="The text of a game's rules.", json_schema_extra={"format": "rules"}),
]
PlayerText = Annotated[
    str, StringConstraints(min_length=1, max_length=1_000), Field(json_schema_extra={"format": "player"})
]
ParameterName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z_]{0,39}$")]
ParameterText = Annotated[str, StringConstraints(pattern=r"^[\w.+,-]{1,40}$")]
Joint = Annotated[dict[RoleName, MoveText], Field(max_length=MOST_ROLES)]
StepMoves = Annotated[
    MoveText | Joint,
    Field(description="The moves of a step by role, or one move where one role chooses; the others' follow."),
]
Seconds = Annotated[float, Field(ge=LEAST_CLOCK, le=LONGEST_CLOCK)]


class BodyModel(BaseModel):
    """What somebody sends."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, strict=True, frozen=True)


class AnswerModel(BaseModel):
    """What somebody is told."""

    model_config = ConfigDict(populate_by_name=True, frozen=True)


class ErrorAnswer(AnswerModel):
    """Why something is not done; of rules with the place, where one is known."""

    error: str
    line: int | None = None
    column: int | None = None
    hint: str | None = None


class LinksAnswer(AnswerModel):
    """Where everything is."""

    title: str
    links: dict[str, str]


# Games


class VariantRow(AnswerModel):
    """A game under another name."""

    name: str
    title: str


class ParameterRow(AnswerModel):
    """A number of a game that can be chosen: `name:parameter=value` is the game with it."""

    name: str
    value: int
    least: int
    most: int


class GameRow(AnswerModel):
    """A game at a glance."""

    name: str
    title: str
    aim: str
    kind: str
    tags: list[str]
    roles: list[str]
    players: int = Field(description="Roles that somebody plays: all but chance.")
    size: Size
    has_chance: bool
    is_hidden: bool
    is_simultaneous: bool
    variants: list[VariantRow]
    parameters: list[ParameterRow]


class GamesAnswer(AnswerModel):
    """The games that fit."""

    games: list[GameRow]


class GameAnswer(GameRow):
    """All about a game."""

    description: str = Field(description="In Markdown.")
    notation: Notation = Field(description="Of the rules below.")
    notations: list[Notation] = Field(description="Those that the rules can be had in; `?as=` chooses.")
    rules: str
    perft: list[int] = Field(description="How many sequences of moves there are: of one step, two steps, ...")


# Rules


class CheckBody(BodyModel):
    """Rules to be checked."""

    rules: RulesText
    dialect: Notation | None = Field(None, description="Found from the text unless it is named.")
    seconds: float = Field(1.0, ge=0, le=5, description="How long to play at random; 0 is not at all.")


class FoundPlace(AnswerModel):
    """Where in the text: line and column count from 1."""

    line: int
    column: int
    text: str


class FoundAnswer(AnswerModel):
    """Something that the rules cannot mean, or hardly do, and what to do about it."""

    code: str
    severity: Severity
    message: str
    place: FoundPlace
    hint: str
    moves: str = ""


class PlayedAnswer(AnswerModel):
    """What random games were like."""

    games: int
    ended: int
    mean_length: float | None
    mean_goals: list[float | None]
    branching: float | None
    length_error: float | None = None
    goal_errors: list[float | None] = []


class CheckAnswer(AnswerModel):
    """The findings; `played` where random games were played."""

    errors: int
    warnings: int
    findings: list[FoundAnswer]
    played: PlayedAnswer | None


# States


class PlaceBody(BodyModel):
    """A place in a game: of the library, or of rules; told by the moves that lead there, or by facts."""

    game: GameName | None = None
    rules: RulesText | None = None
    dialect: Notation | None = Field(
        None, description="Of the rules; found from their text unless it is named."
    )
    moves: list[StepMoves] = Field(default_factory=list, max_length=MOST_STEPS)
    facts: list[FactText] | None = Field(
        None, max_length=MOST_FACTS, description="All facts that hold, where no moves lead there."
    )
    step: int = Field(0, ge=0, le=1_000_000, description="Of the state that the facts tell.")

    @model_validator(mode="after")
    def _one_place(self) -> PlaceBody:
        if (self.game is None) == (self.rules is None):
            raise ValueError("give a game of the library or rules, one of them")
        if self.facts is not None and self.moves:
            raise ValueError("give moves or facts, not both")
        if self.facts is None and self.step:
            raise ValueError("a step belongs to facts; of moves it is known")
        return self


class NextBody(PlaceBody):
    """A place, and the moves of the step from there."""

    move: StepMoves


class PictureBody(PlaceBody):
    """A place, and how its board is drawn."""

    theme: Literal["light", "dark"] | None = Field(
        None, description="Follows the reader's choice without one."
    )
    size: int | None = Field(None, ge=16, le=4096, description="The longer side in pixels.")


class StateAnswer(AnswerModel):
    """A state: `control` has the only choice, if one role has; `ending` tells a game that is over in words."""

    game: str
    machine: str
    step: int
    roles: list[str]
    control: str | None
    is_terminal: bool
    facts: list[str]
    legal: dict[str, list[str]]
    goals: dict[str, int | None]
    ending: str | None


# Thinking


class ThinkingBody(PlaceBody):
    """A place, and who shall think about it for whom."""

    role: RoleName | None = Field(None, description="Without one, whoever is to move.")
    who: PlayerText | None = Field(
        None,
        alias="with",
        description="An algorithm or a player of the library, perhaps with parameters; or whoever suits.",
        json_schema_extra={"format": "thinker"},
    )
    parameters: dict[ParameterName, ParameterText | float | bool] = Field(
        default_factory=dict, max_length=MOST_PARAMETERS
    )
    seconds: float = Field(1.0, ge=LEAST_THOUGHT, le=LONGEST_THOUGHT)
    seed: int = Field(0, ge=0, le=LARGEST_THINKING_SEED)

    @model_validator(mode="after")
    def _somebody(self) -> ThinkingBody:
        if self.parameters and self.who is None:
            raise ValueError("parameters belong to somebody: name them in `with`")
        return self


class ThoughtRow(AnswerModel):
    """A move, and what it is worth; `is_bound`: no more than that; `glance`: what it looks to be worth, unsearched."""

    move: str
    value: float | None
    is_bound: bool
    is_end: bool
    visits: int | None
    glance: float | None
    line: list[str]


class ThinkingAnswer(AnswerModel):
    """What was chosen and why; `caveats` say why that is less than it should be."""

    game: str
    machine: str
    step: int
    role: str
    algorithm: str
    move: str | None
    value: float | None
    glance: float | None
    is_proven: bool
    line: list[str]
    moves: list[ThoughtRow]
    depth: int
    nodes: int
    playouts: int
    seconds: float
    notes: list[str]
    caveats: list[str]


# Players


class PlayerRow(AnswerModel):
    """Who can play: `parameters` have the values that are taken unless told, as they are written."""

    name: str
    summary: str
    parameters: dict[str, str]


class RegisteredRow(AnswerModel):
    """A player that somebody registered for all, chosen by its name."""

    name: str
    summary: str
    owner: str


class PlayersAnswer(AnswerModel):
    """Players play matches; algorithms can only be asked to think."""

    players: list[PlayerRow]
    algorithms: list[PlayerRow]
    registered: list[RegisteredRow]


# Matches


class MatchBody(BodyModel):
    """A match to be arranged."""

    game: GameName
    players: dict[RoleName, PlayerText] = Field(
        min_length=1,
        max_length=MOST_ROLES,
        description="By role: a player of the library, perhaps with parameters; one that is registered, by its "
        "name; http://127.0.0.1:PORT; `person`; `websocket`. Chance needs nobody.",
    )
    start_clock: Seconds | None = Field(10.0, description="Seconds to get ready; null: as long as it takes.")
    play_clock: Seconds | None = Field(10.0, description="Seconds for each move; null: as long as it takes.")
    think: Annotated[float, Field(ge=LEAST_CLOCK, le=600)] | None = Field(
        None, description="Seconds for each move that players of the library have where people play too."
    )
    pace: float = Field(0.0, ge=0, le=LONGEST_PACE, description="Seconds between steps at least.")
    seed: int | None = Field(
        None, ge=0, le=LARGEST_SEED, description="Of all that is drawn; else it is drawn itself."
    )
    is_managed: bool = Field(
        False, description="Whether it begins when asked to, rather than as soon as nobody is awaited."
    )


class SeatRow(AnswerModel):
    """Who plays a role."""

    role: str
    player: str
    kind: SeatKind
    goal: int | None
    errors: int | None


class ListedMatch(AnswerModel):
    """A match. A clock that is null never runs out."""

    id: str
    game: str
    status: MatchStatus
    how: str
    seats: list[SeatRow]
    start_clock: float | None
    play_clock: float | None
    seed: int | None = Field(description="Told when the match is over.")
    steps: int
    is_hidden: bool
    created: datetime
    ended: datetime | None
    page: str = Field(description="Its page, for people.")


class MatchesAnswer(AnswerModel):
    """A page of matches, the newest first."""

    matches: list[ListedMatch]
    total: int
    page: int
    pages: int
    size: int


class LiveAnswer(AnswerModel):
    """How a match stands that is held. Where the game hides its state, what is null is told at the end."""

    phase: MatchPhase
    step: int
    is_paused: bool
    awaited: list[str] = Field(description="The roles for which a person has still to sit down.")
    to_move: list[str] | None
    moves: list[dict[str, str]] | None = Field(description="The joint moves so far, each by role.")
    trouble: str | None


class MatchAnswer(ListedMatch):
    """A match; `live` where it is held, `record` where it is over."""

    live: LiveAnswer | None
    record: str | None
    feed: str | None = Field(description="The WebSocket that tells of it while it is played.")


class ArrangedAnswer(MatchAnswer):
    """A match that was arranged, and what only whoever did that is told."""

    key: str = Field(description="Steers the match: `Authorization: Bearer KEY`.")
    invitations: dict[str, str] = Field(description="By role, the link with which a person sits down.")
    sockets: dict[str, str] = Field(description="By role, the WebSocket at which a program plays.")
