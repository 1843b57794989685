# One step of heat flow: every point becomes the mean of its four neighbours. Points that hold
# their temperature never run, because the job skips them at location PE; so there is no
# flow control here.

.input  heat   i0
.output warmer o0
.temp   at     r0               # (i, j) at the start
.temp   sum    r1
.temp   next   r2

    # (i, j) and the neighbours' coordinates i-1 and j-1, then i+1 and j+1.
    sub  at.ba, at.rg, 1
    ld   sum.r,  heat[at.bg]            # (i-1, j)
    ld   sum.g,  heat[at.ra].r          # (i, j-1)
    add  at.ba, at.rg, 1
    ld   next.r, heat[at.bg]            # (i+1, j)
    ld   next.g, heat[at.ra].r          # (i, j+1)
    add  sum.rg, sum, next
    add/4 warmer.r, sum.r, sum.g
