; A field of numbers from 0 to 1 as colours of glowing metal: black, red, yellow, white.

.input  field   i0
.output picture o0

        ld   r1, field[r0.rg]
; Three ramps, one after the other, each cut to [0, 1] by the clamp.
        mad.sat picture.rgb, r1.r, 3, {0, -1, -2} | mov picture.a, 1
