# Stores the same number at the point of both outputs. Which points run, the job says.

.output first  o0
.output second o1
.const  value  c0

    movx first.r,  value
    movx second.r, value
