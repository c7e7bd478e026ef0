"""Text -> Rules, in three notations: KIF (classic GDL), HRF (the same, infix), Epilog (actions with effects).

In comes the text of a rulesheet with its name (`source.Source`); out go its sentences with their places
(`rules.Rules`), checked, in the one core language that every later stage works on.

terms, rules            the values: read them first
source                  text with places
notation                finds the notation of a text, and reads or prints it
kif, infix, syntax      the readers and printers, and the tree that they turn into sentences
builtins                the relations that a sheet need not define
operators               what others write for them, and how it is written here
lower                   Epilog becomes the core
dependency              which relation needs which
findings, check/        what is wrong with a sheet, where, and what to do about it
"""
