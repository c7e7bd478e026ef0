"""Text -> Rules, in three notations: KIF (classic GDL), HRF (the same, infix), Epilog (actions with effects).

In comes the text of a rulesheet with its name (`source.Source`); out go its sentences with their places
(`rules.Rules`), checked, in the one core language that every later stage works on. Read `terms` and `rules`
first: they are the values. Then `notation`, which finds the notation of a text and reads or prints it; `kif`
and `infix` do the work, on the tree that `syntax` turns into sentences. `lower` turns Epilog into the core,
`check` says what is wrong with a sheet and where, `builtins` are the relations a sheet need not define.
"""
