"""Games that people bring: sheets -> folders with names, for those who may see them.

sheets                  a sheet as somebody brings it, and its folder on the disk
trying                  in a worker: whether a sheet can be played at all, and in matches
shop                    drafts, games of people's own, who may see which, and what is forgotten when
"""

from __future__ import annotations

from gamemaster.web.brought.sheets import BroughtSheet

__all__ = ["BroughtSheet"]
