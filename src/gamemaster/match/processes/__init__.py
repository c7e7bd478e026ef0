"""An order -> a player in a process of its own, and what the system must do for that.

order, player_child      what such a process is told first, and what it runs
spawning, descendants    starting it; all that it has started
guardian                 whoever waits for its end, and leaves nothing behind
walls, view              a world of its own, and what can be seen from there
linux                    what is asked of the system for it; nothing else calls it
staying                  no player ends the process that it is in
"""
