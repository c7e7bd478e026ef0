"""Tests of equilibria."""
