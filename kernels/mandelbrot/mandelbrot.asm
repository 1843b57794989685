; The Mandelbrot set: how many steps z = z*z + c takes to leave a circle, for each point's own c,
; and a colour for it.

.output picture o0
.output count   o1          ; steps, as a fixed-point number: steps / 65535
.const  view    c0          ; real and imaginary part of c at point (0, 0), and their steps
.const  limit   n0          ; most steps, at most 255

.temp   seed    r1          ; .rg
.temp   z       r2          ; .rg; .a counts steps
.temp   square  r3          ; x*x, y*y, x*y; .a is |z|^2

        mad  seed.rg, r0.rg, view.ba, view.rg
        mov  z, 0

        rep  limit
; Three instructions a step, because both units work in each: RGB | alpha.
        mul  square.rgb, z.rgr, z.rgg               | add z.a, z.a, 1
        mad  z.rg, square.rb, {1, 2, 0}, -square.g0 | add square.a, square.r, square.g
        add  z.rg, z.rg, seed.rg                    | sub alu_result >= 0, square.a, 256
; A point that breaks waits until the loop ends for its group of 64.
        break if alu_result
        endrep

        mul  count.r, z.a, 0.000015259022       ; 1 / 65535

; A smooth count: how far the last step overshot the circle, as a part of a step. |z|^2 is now in
; [2^8, 2^16), so log2(log2|z|^2 / 8) is in [0, 1). Transcendentals belong to the alpha unit.
        ln2/8 r4.a, square.a
        ln2  r4.a, r4.a
        sub  r4.a, z.a, r4.a

; COS counts in whole turns, so a palette is three cosines with shifted phases; there is one
; alpha unit, so they come one after the other, and SOP brings each to the RGB unit.
        mad  r5.rgb, r4.a, 0.04, {0.42, 0.52, 0.62}
        cos  r6.r, r5.r
        cos  r6.g, r5.g
        cos  r6.b, r5.b
        mad  r6.rgb, r6, 0.5, 0.5

; Points that never left are black: CMP picks by the sign of its last operand.
        sub  r6.a, square.a, 256
        cmp  picture.rgb, r6, 0, r6.a | mov picture.a, 1
