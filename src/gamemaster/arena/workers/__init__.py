"""Where work is done: a function and a value go in, what it gives comes back. Read `seam` first.

seam           what all of them are: submit, places, close
here           in this process, one after the other
processes      in processes of this machine, each on a core of its own
cluster        on a Ray cluster
cluster_child  the process that speaks with the cluster
"""
