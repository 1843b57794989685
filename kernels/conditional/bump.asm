# Draws one round bump seen from above, with its depth as the conditional output.
#
# With d the distance from the middle over the radius, the bump is 1 - d^2 high. What is farther
# out than the radius is not part of it. Depths grow away from the eye, so
#     depth = base - height * (1 - d^2)
# The job tests LESS at location DPP: the value that the program writes to w is compared with the
# depth buffer when the point is done, and only the nearer one stores its colour and its depth.

.output colour o0
.const  place  c0               # r, g: middle; b: 1 / radius
.const  depth  c1               # r: base, g: height
.const  paint  c2               # r, g, b: colour, a: 1
.temp   point  r0               # (i, j) at the start
.temp   d      r1
.temp   lit    r2

    sub  d.rg, point, place
    mul  d.rg, d.rg, place.b
    # 1 - d^2, in single steps rather than by a dot product: that would round otherwise.
    mul  lit.rg, d.rg, d.rg
    add  lit.r, lit.r, lit.g
    mov  d.b, 1 - lit.r                 # 1 - x is one of the sums formed before the operation
    texkill d.bbbb                      # outside: no colour, no depth, no test
    mad  w, -depth.g, d.b, depth.r

    # Light from the upper left: 0.25 + 0.5 h - 0.25 (dx + dy), clamped to [0, 1].
    add/4     lit.r, d.r, d.g
    mad/2     lit.g, d.b, 1, 0.5
    sub.sat   lit.r, lit.g, lit.r
    mul       colour.rgb, paint, lit.r  | mov colour.a, paint.a
