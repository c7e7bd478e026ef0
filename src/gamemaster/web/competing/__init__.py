"""Competitions of a site: planned, held one after the other, and told while they are played; and what runs by itself.

plans                    a competition with what is known of its games, and its bounds; read it first
sets                     sets of games: computed, the site's own, and people's
looking                  games and players that somebody named -> what a plan needs to know of them
organizer                who holds competitions: one at a time, and what was left goes on
venue                    where their matches run, with places in the room for players
listing                  their matches -> rows of the store and pages like those of others
telling                  the folder of a competition -> its tables and files
cycle                    the automatic cycle: a game of a set, whoever is available, a match, a while of waiting
"""
