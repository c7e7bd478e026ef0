"""A player of the GGP protocol over HTTP, with nothing to install; docs/clients.md says what goes over the line.
python ggp_http_player.py --port 9147                           knows tic-tac-toe, and no other game
python ggp_http_player.py --api http://127.0.0.1:8000/api/v1    asks a site which moves are legal: plays any open game
"""
import json, random, re, sys, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

def read(text):  # KIF -> nested lists: (mark 1 1) is ["mark", "1", "1"]
    stack = [[]]
    for token in re.findall(r"[()]|[^\s()]+", text):
        if token == ")":
            stack[-2].append(stack.pop())
        else:
            stack.append([]) if token == "(" else stack[-1].append(token)
    return stack[0][0]

def kif(term):
    return term if isinstance(term, str) else f"({' '.join(map(kif, term))})"
def infix(term):
    return term if isinstance(term, str) else f"{term[0]}({','.join(map(infix, term[1:]))})"

def tictactoe(match):  # the first free cell; whoever is not to move says noop
    taken = [move for moves in match["history"] for move in moves]
    free = [["mark", x, y] for x in "123" for y in "123" if ["mark", x, y] not in taken]
    return kif(free[0]) if match["roles"][len(match["history"]) % 2] == match["role"] else "noop"

def from_api(match):  # any legal move: the site gets the rules and what was done, and says what is legal
    steps = [dict(zip(match["roles"], map(infix, moves))) for moves in match["history"]]
    place = json.dumps({"rules": "\n".join(map(kif, match["rules"])), "dialect": "kif", "moves": steps}).encode()
    request = urllib.request.Request(options["--api"] + "/states", place, {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=match["clock"]) as reply:
        move = random.choice(json.load(reply)["legal"][match["role"]] or ["noop"])
    return re.sub(r"([^\s(),]+)\(", r"(\1 ", move).replace(",", " ")  # mark(1,1) -> (mark 1 1)

def answer(kind, *rest):
    if kind == "start":
        id, role, rules, start_clock, play_clock = rest
        roles = [rule[1] for rule in rules if rule[0].lower() == "role"]
        matches[id] = {"role": role, "rules": rules, "roles": roles, "clock": float(play_clock), "history": []}
    elif kind == "play" and rest[0] in matches:
        matches[rest[0]]["history"] += [] if rest[1] == "nil" else [rest[1]]
        return choose(matches[rest[0]])
    elif kind in ("stop", "abort"):
        matches.pop(rest[0], None)
    return {"info": "available", "start": "ready", "stop": "done", "abort": "done"}.get(kind, "sorry")

class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        kind, *rest = read(self.rfile.read(int(self.headers["Content-Length"])).decode())
        text = answer(kind.lower(), *rest).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

options, matches = dict(zip(sys.argv[1::2], sys.argv[2::2])), {}
choose = from_api if "--api" in options else tictactoe  # your own: a match, as `answer` keeps it -> a move in KIF
server = ThreadingHTTPServer(("127.0.0.1", int(options.get("--port", 9147))), Handler)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
