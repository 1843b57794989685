; Two matrices of pseudo-random numbers in (-1, 1], four columns to an element: what matmul
; multiplies. The chip has no integers; FRC of a product with an odd factor scrambles well enough.

.output a o0
.output b o1

        mad  r1, r0.r, 4, {0, 1, 2, 3}      ; the four columns
        mul  r1, r1, 0.7548777              ; plastic-number lattice: even, but not random
        mad  r1, r0.g, 0.5698403, r1
        frc  r1, r1
        mul  r2, r1, 391.25                 ; stretched and cut again: random to the eye
        frc  r2, r2
        mul  r3, r1, 517.75
        frc  r3, r3

; 1-2*x is BIAS, one of the four sums that the hardware forms on the way to the operation.
        mov  a, 1-2*r2
        mov  b, 1-2*r3
