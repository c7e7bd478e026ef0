"""People with names: who is signed in.

signing        signing up, in and out: sessions that a browser keeps
"""
