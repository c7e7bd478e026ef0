"""Which sizes a text means, and what is refused."""

from __future__ import annotations

from pathlib import Path
from shutil import copytree

import pytest

from gamemaster.errors import ParameterError, UnknownGame
from gamemaster.games import find_rules
from gamemaster.language.infix import read_term
from gamemaster.solving.families.sizes import FamilySizes, read_sizes, sizes_of


def test_a_range_is_read() -> None:
    sizes = read_sizes("threecells", "cells=3..25:2")
    assert sizes == FamilySizes("threecells", ("cells",), tuple(range(3, 26, 2)))
    assert sizes.member(7) == "threecells:cells=7"
    assert sizes.words(sizes.values) == "cells = 3, 5, ..., 25"
    assert sizes.words([3, 5, 7, 11, 12]) == "cells = 3, 5, 7, 11 and 12"


def test_parameters_can_go_together() -> None:
    sizes = read_sizes("chomp", "columns=rows=2..9")
    assert sizes.member(4) == "chomp:columns=4,rows=4"
    assert sizes.load(4).name == "chomp:columns=4,rows=4"
    assert sizes.words([2, 3]) == "columns = rows = 2 and 3"


def test_other_parameters_stay() -> None:
    assert read_sizes("cram:columns=3", "rows=2..6").member(4) == "cram:columns=3,rows=4"
    assert sizes_of("threecells:even", "cells", [9, 3, 5, 3]).values == (3, 5, 9)


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("threecells", "cells", "sizes 'cells' are no range of a parameter; write cells=3..25"),
        ("threecells", "cells=3-25", "are no range of a parameter"),
        ("threecells", "cells=9..3", "are none: 9 is more than 3"),
        ("threecells", "cells=3..9:0", "go on by 0; write 1 or more"),
        ("threecells", "cell=3..9", "no parameter 'cell'; .* did you mean cells"),
        ("threecells", "cells=2..9", "cells of threecells must be a whole number from 3 to 25, not '2'"),
        ("threecells", "cells=3..999999999", "from 3 to 25, not '999999999'"),
        ("threecells", "cells=3..4", "2 sizes of threecells are too few: give 3 to 64 values of cells"),
        ("pig", "target=2..100", "99 sizes of pig are too many: give 3 to 64"),
        ("threecells:cells=5", "cells=3..9", "is given cells twice"),
        ("donttouch", "size=3..9", "it has neither parameters nor variants"),
    ],
)
def test_sizes_that_are_none_are_refused(name: str, text: str, why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        read_sizes(name, text)


def test_a_sheet_without_parameters_has_no_sizes(tmp_path: Path) -> None:
    path = tmp_path / "rows.kif"
    path.write_text(find_rules("threecells").read_text())
    with pytest.raises(ParameterError, match=r"is one sheet of rules without parameters; give a game of"):
        read_sizes(str(path), "cells=3..9")
    with pytest.raises(UnknownGame, match="no game or rule file 'threecell'; did you mean threecells"):
        read_sizes("threecell", "cells=3..9")


def test_a_folder_of_anybody_has_sizes(tmp_path: Path) -> None:
    folder = tmp_path / "rows"
    copytree(find_rules("threecells").parent, folder)
    sizes = read_sizes(str(folder), "cells=3..9")
    assert sizes.load(4).initial_state().legal_moves("alice")[-1] == read_term("fill(4)")


def test_values_in_no_order_are_counted() -> None:
    with pytest.raises(ParameterError, match="0 sizes of threecells are too few"):
        sizes_of("threecells", "cells", [])
    assert sizes_of("threecells", "cells", range(9, 2, -2)).values == (3, 5, 7, 9)
