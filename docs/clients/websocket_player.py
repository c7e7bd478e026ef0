"""A player that comes to a manager over a WebSocket; docs/clients.md says what goes over the line.

python websocket_player.py ws://127.0.0.1:9148/secret         knows tic-tac-toe, and games that tell what is legal
python websocket_player.py ws://... --api http://127.0.0.1:8000/api/v1     asks a site what is legal: plays any game
"""

import argparse, json, random, time, urllib.request
from websockets.sync.client import connect  # pip install websockets

def tictactoe(match):  # the first free cell; whoever is not to move has nothing to say
    taken = [move for moves in match["history"] for move in moves.values()]
    free = [f"mark({x},{y})" for x in "123" for y in "123" if f"mark({x},{y})" not in taken]
    return free[0] if "xo"[len(match["history"]) % 2] == match["role"] else None

def from_api(match):  # any legal move: the site gets the rules and what was done, and says what is legal
    place = {"rules": match["rules"], "dialect": match["notation"], "moves": match["history"]}
    head = {"content-type": "application/json"}
    request = urllib.request.Request(options.api + "/states", json.dumps(place).encode(), head)
    with urllib.request.urlopen(request, timeout=match["play_clock"]) as reply:
        legal = json.load(reply)["legal"][match["role"]]
    return random.choice(legal) if legal else None

def value(match, request):  # what to answer to a request; a match is what `start` said, and what was done since
    if request["kind"] == "start":
        match.clear()
        match.update(request, history=[told["moves"] for told in request.get("past", []) if "moves" in told])
    if request["kind"] in ("ping", "start"):
        return "ready"
    if "moves" in request:
        match["history"].append(request["moves"])
    if request["kind"] != "play":  # stop, abort
        return "done"
    if "legal" in request:  # the rules hide the state: the manager says which moves there are
        return random.choice(request["legal"]) if request["legal"] else None
    return choose(match)

def visit(address):  # the manager may not be there yet
    for _ in range(300):
        try:
            return connect(address, max_size=None)
        except OSError:
            time.sleep(0.2)
    raise SystemExit(f"nobody is at {address}")

parser = argparse.ArgumentParser()
parser.add_argument("address")
parser.add_argument("--api")
options = parser.parse_args()
choose = from_api if options.api else tictactoe  # your own: a match, as `value` keeps it -> a move, or None
with visit(options.address) as socket:
    match = {}
    for text in socket:
        request = json.loads(text)
        socket.send(json.dumps({"number": request["number"], "value": value(match, request)}))
        if request["kind"] in ("stop", "abort"):
            break
