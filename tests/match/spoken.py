"""What the published protocol has players and managers say: docs/protocol.md describes these."""

from __future__ import annotations

REQUESTS = {
    "ping": "asks whether the player is there; classic players know it as info",
    "start": "says which role of which rules to play, and the clocks",
    "play": "tells what was done in the step before, and asks for a move",
    "stop": "tells what was done in the last step: the match is over",
    "abort": "says that the match ends before its time",
}
"""The requests of a manager."""

REPLIES = {
    "ready": "to ping: ready to play; to start: ready to begin",
    "available": "to info: ready to play",
    "busy": "to ping or info: playing another match",
    "done": "to stop or abort: it is understood",
    "sorry": "to anything: the message is not understood",
}
"""The words that a reply may be; a reply to play is a move."""
