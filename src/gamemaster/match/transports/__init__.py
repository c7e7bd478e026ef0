"""Requests -> replies: within this process, to a process of its own, over HTTP, to a person.

transport                what a transport is; read it first
calling, in_process      a request -> the call of a handler -> a reply; a player in a thread of this process
at_table                 the same at a table with people, who take their time
patient                  any line, at a table with people whose clock may never end
person                   somebody at a screen, asked by whoever shows it
lines, connection        requests and replies as lines of JSON; a player at the other end of such a line
child_process            a player in a process of its own
websocket                a browser, or any program, that comes to us
http_client              a player that is asked over HTTP
http_reading             what it says, as it comes
overhearing              what players print, and where they fail
finding                  the transport for a name, a file or an address
"""
