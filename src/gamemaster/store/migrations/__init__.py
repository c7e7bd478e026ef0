"""How a database gets from any older schema to the newest.

env                      what alembic runs: the migrations, in the transaction of whoever opens a store
versions/                the migrations, in order
"""
