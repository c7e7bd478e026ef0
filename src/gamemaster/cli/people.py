"""The command on accounts of a site, for whoever runs it."""

from __future__ import annotations

from typing import Annotated

import typer

from gamemaster.cli.arguments import AsJson

__all__ = ["account"]


def account(
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="Whose; without it, everybody is listed.")
    ] = "",
    new: Annotated[bool, typer.Option("--new", help="Make the account; asks for its password.")] = False,
    password: Annotated[
        bool, typer.Option("--password", help="Give it another password, and sign it out everywhere.")
    ] = False,
    operator: Annotated[
        bool | None, typer.Option("--operator/--no-operator", help="May it do what concerns all?")
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Take it away with all that is its own.")] = False,
    data: Annotated[
        str, typer.Option(metavar="FOLDER|URL", help="Where the site keeps its data, as for serve.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Accounts of a site: list, make, change and remove them; a password is typed, or read from a pipe.

    \b
        gamemaster account
        gamemaster account ada --new --operator
        gamemaster account bob --password
    """
    from gamemaster.terminal.people_of_site import AccountChange, change_account, list_accounts

    if not name:
        if new or password or remove or operator is not None:
            raise typer.BadParameter("whose? name the account", param_hint="'NAME'")
        list_accounts(data, as_json=as_json)
        return
    change_account(data, name, AccountChange(new, password, operator, remove))
