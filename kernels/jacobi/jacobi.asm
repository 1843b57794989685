; One step of Jacobi's method for Laplace's equation: every point becomes the mean of its four
; neighbours. The job runs it over the inner points only, so the border keeps its values, and
; swaps the two buffers after each step.

.input  before i0
.output after  o0

; The neighbours' coordinates in two registers: a fetch takes S and T from any channels of one.
        add  r1.rgb, r0.rgr, {-1, 0, 1}     ; x-1, y, x+1
        add  r2.rgb, r0.grg, {-1, 0, 1}     ; y-1, x, y+1

; The result's channels can be moved on the way: four values meet in one register.
        ld   r3.r, before[r1.rg].r          ; left
        ld   r3.g, before[r2.gr].r          ; above
        ld   r3.b, before[r1.bg].r          ; right
        ld   r3.a, before[r2.gb].r          ; below

        add  r4.rg, r3.rg, r3.ba            ; left + right, above + below
        add/4 after.r, r4.r, r4.g           ; the output modifier divides, and is free
