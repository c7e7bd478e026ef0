"""`python -m gamemaster` is the command line."""

from gamemaster.cli import main

if __name__ == "__main__":
    main()
