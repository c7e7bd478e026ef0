"""How messages get to a player and back: within this process, to a process of its own, over HTTP, to a browser.

`transport.py` says what a transport is; read it first. `finding.py` finds the one for a name, a file or an address.
"""
