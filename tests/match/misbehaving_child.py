"""A process that plays tictactoe over lines of JSON, badly: `python misbehaving_child.py BEHAVIOUR`. No test itself."""

import json
import os
import subprocess
import sys
import time

BEHAVIOUR = sys.argv[1] if len(sys.argv) > 1 else "good"
CELLS = [f"mark({row},{column})" for row in "123" for column in "123"]


def say(number: object, value: object) -> None:
    sys.stdout.write(json.dumps({"number": number, "value": value}) + "\n")
    sys.stdout.flush()


def misbehave(number: int, move: str) -> None:
    match BEHAVIOUR:
        case "silent":
            time.sleep(60)
        case "ignoring":
            pass
        case "twice":
            say(number, move)
            say(number, move)
        case "stale":
            say(number - 1, move)
            say(number, move)
        case "future":
            say(number + 1000, move)
            say(number, move)
        case "huge":
            for _ in range(100):
                sys.stdout.write("x" * 2**20)
            sys.stdout.write("\n")
            sys.stdout.flush()
        case "large":
            say(number, "x" * 100_000)
        case "flood":
            while True:
                os.write(1, b"\n" * 2**20)
        case "endless":
            while True:
                os.write(1, b"x" * 2**20)
        case "half its clock":
            time.sleep(0.25)
            say(number, move)
        case "odd fault":
            sys.stdout.write(json.dumps({"number": number, "fault": []}) + "\n")
            sys.stdout.flush()
        case "garbage":
            sys.stdout.write('\x00{"number": [[[\n')
            sys.stdout.flush()
        case "no number":
            say("x", move)
        case "no text":
            say(number, [1, 2])
        case "illegal":
            say(number, "mark(7,7)")
        case "dies":
            os._exit(3)
        case "dies mid-reply":
            sys.stdout.write('{"number": ')
            sys.stdout.flush()
            os._exit(0)
        case "forks":
            for is_apart in (False, True):
                subprocess.Popen(["sleep", os.environ["GM_TEST_SLEEP"]], start_new_session=is_apart)
            say(number, move)
        case "closes":
            os.close(1)
            time.sleep(60)
        case _:
            say(number, move)


def main() -> None:
    free = list(CELLS)
    for line in sys.stdin:
        request = json.loads(line)
        for move in request.get("moves", {}).values():
            free.remove(move)
        step = len(CELLS) - len(free)
        is_mine = request["role"] == "xo"[step % 2]
        if request["kind"] == "play" and is_mine:
            misbehave(request["number"], free[0])
        elif request["kind"] == "play":
            say(request["number"], free[0] if BEHAVIOUR == "out of turn" else None)
        else:
            say(request["number"], "ready")


if __name__ == "__main__":
    main()
