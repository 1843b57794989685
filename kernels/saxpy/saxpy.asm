; result = a * x + y, four numbers to an element.

.input  x      i0
.input  y      i1
.output result o0
.const  a      c0           ; the scalar in its first channel; the job gives it

        ld   r1, x[r0.rg]
        ld   r2, y[r0.rg]

; One instruction for all four channels: the RGB unit and the alpha unit each do their part.
; The product is rounded before the sum; nothing is fused.
        mad  result, a.r, r1, r2
