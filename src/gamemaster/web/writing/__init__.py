"""A sheet that somebody is writing -> what the editor's page shows of it: in workers, plain values in and out.

Nothing is kept here: every question has the whole text in it, and may be asked of any process. Places in a text are
offsets in UTF-16 units, as browsers count.

units                   offsets as Python counts them <-> as browsers do
reading                 of the text: colours, findings, outline; completion, help, layout, another notation
preview                 of the game: the state after some moves, its board, and what can be done there
bounds                  what is sent is cut to what a page can show
packing                 files and zips of game folders -> a sheet; a sheet -> a zip
beginning               what there is to start from: a skeleton, a game of the library
"""
