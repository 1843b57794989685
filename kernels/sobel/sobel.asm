# Sobel edge detection. With the neighbours of a point named
#
#     NW  N  NE
#      W  .  E
#     SW  S  SE
#
# the gradient is
#     gx = (SE - NW) + (NE - SW) + 2 (E - W)
#     gy = (SE - NW) - (NE - SW) + 2 (S - N)
# Output 0 is its length / 2, output 1 the gradient itself.
#
# The picture has one channel and is read in the 2x2 mode (tiling LINEAR_INP_2X2): a fetch at
# (x, y) returns four texels at once,
#     r (x+1, y)   g (x, y+1)   b (x+1, y+1)   a (x, y)
# so four fetches bring all eight neighbours. Fetches beyond the edge of the picture read the
# texel at the edge.

.input  picture  i0
.output edges    o0
.output gradient o1
.temp   at       r0             # (i, j) at the start
.temp   nw       r1             # N, W, ., NW
.temp   diagonal r2             # NE, SW
.temp   se       r3             # E, S, SE, .
.temp   slope    r4
.zero_times                     # 0 * anything = 0: for the square root below

    # r0 = (i, j, i-1, j-1). A coordinate is any two channels of one temporary, so these four
    # numbers make the four corners of the neighbourhood.
    sub  at.ba, at.rg, 1
    ld   nw,         picture[at.ba]
    ld   diagonal.r, picture[at.ra]             # at (i, j-1): r is NE
    ld   diagonal.g, picture[at.bg]             # at (i-1, j): g is SW
    ld   se,         picture[at.rg]

    # Two lanes of the RGB unit take gx and gy, the alpha unit the part that both share.
    sub  slope.rg, diagonal.rg, diagonal.gr | sub slope.a, se.b, nw.a
    sub  se.rg, se.rg, nw.gr                    # (E - W, S - N)
    mad  slope.rg, se.rg, 2, slope.rg
    add  slope.rg, slope.rg, slope.a
    movx gradient.rg, slope

    # sqrt(x) = x * rsq(x). At x = 0 that is 0 * Inf, which is 0 under .zero_times.
    dp2   slope.b, slope, slope
    rsq   slope.a, slope.b
    mul/2 edges.r, slope.b, slope.a
