"""Competitions -> pictures and a page.

plots          ratings with their intervals, and the way of a sequential test, as SVG
report         all of a competition as one HTML file
"""
