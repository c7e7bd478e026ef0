"""Games and players <-> OpenSpiel: `pip install 'gamemaster[openspiel]'`. Read `game` first.

survey         game -> what of it is proved: sums of goals, turns, the longest game
spec           game <-> parameters of OpenSpiel: its name, or its whole rules in a word
node           state -> node of OpenSpiel's tree: who acts there, how, and what follows
game           game -> pyspiel.Game and its states; `gamemaster(game=connectfour)` for OpenSpiel's load_game
observing      node -> what a player is shown of it: texts and tensors
player         a bot of OpenSpiel -> a player of ours, for matches
bot            a player of ours -> a bot of OpenSpiel
twins          OpenSpiel's own games beside the same games of ours: moves by their texts
"""

from __future__ import annotations

from gamemaster.errors import NotInstalled

try:
    import pyspiel  # noqa: F401
except ImportError:
    raise NotInstalled("this bridge needs OpenSpiel: pip install 'gamemaster[openspiel]'") from None

from gamemaster.bridges.openspiel.bot import PlayerBot
from gamemaster.bridges.openspiel.game import SpielGame, SpielState, openspiel_game, register
from gamemaster.bridges.openspiel.player import OpenSpielPlayer, openspiel_player
from gamemaster.bridges.openspiel.twins import TWINS, Twin

__all__ = [
    "TWINS",
    "OpenSpielPlayer",
    "PlayerBot",
    "SpielGame",
    "SpielState",
    "Twin",
    "openspiel_game",
    "openspiel_player",
    "register",
]
