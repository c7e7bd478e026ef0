"""Tests of endgame tables."""
