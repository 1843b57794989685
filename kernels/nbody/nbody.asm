# One time step of gravity among 256 bodies: every point is a body that sums up the pull of all.
#
#     a  = sum over k of m_k (x_k - x) / (|x_k - x|^2 + eps^2)^(3/2)
#     v' = v + dt a
#     x' = x + dt v'           (the symplectic Euler method: the new velocity moves the body)
#
# eps softens close encounters and makes the body's pull on itself 0 * finite = 0, so the loop
# needs no test for it. Bodies are stored as 16 x 16 elements (x, y, z, mass); a surface of
# 256 x 1 would do, but 256 turns are one too many for a loop counter of 8 bits.

.input  bodies     i0           # x, y, z, mass
.input  velocities i1           # vx, vy, vz, unused
.output moved      o0
.output sped       o1
.const  step       c0           # r: dt, g: eps

.temp   here       r0           # (i, j) at the start
.temp   me         r1
.temp   other      r2
.temp   away       r3           # x_k - x, and eps in alpha: a fourth dimension
.temp   scan       r4           # r: row, a: column of the body that is looked at
.temp   pull       r5           # the sum
.temp   t          r6

    ld   me, bodies[here.rg]
    mov  pull.rgb, 0  | mov away.a, step.g
    mov  scan.r, 0    | -

    rep 16
        - | mov scan.a, 0
        rep 16
            ld   other, bodies[scan.ar]
            sub  away.rgb, other, me
            # The four-component dot product adds eps^2 by itself.
            dp4  t.a, away, away
            rsq  t.a, t.a
            # One instruction, two units: m / d in the RGB unit, 1 / d^2 in the alpha unit.
            mul  t.r, other.a, t.a          | mul t.a, t.a, t.a
            mul  t.r, t.r, t.a              | -
            # The idle alpha unit counts columns meanwhile.
            mad  pull.rgb, away, t.r, pull  | add scan.a, scan.a, 1
        endrep
        add scan.r, scan.r, 1
    endrep

    # The velocity's surface is read and written: that is safe, as every point touches its own
    # element only. Positions are read by everybody, so the new ones go elsewhere and the two
    # surfaces change places after each step.
    ld   t, velocities[here.rg]
    mad  t.rgb, pull, step.r, t
    mov  sped, t
    mad  moved.rgb, t, step.r, me       | mov moved.a, me.a
