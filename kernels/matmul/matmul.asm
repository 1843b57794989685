; C = A * B for square matrices of floats, four columns to an element.
;
; Every point computes a block of 4 x 4 numbers of C: point (i, j) has rows 4j to 4j+3 and columns
; 4i to 4i+3, one row for each of the four outputs. A loop runs over the inputs, four steps of the
; inner dimension at a time; 8 fetches then feed 64 multiplications.
;
; The outputs are interleaved in memory by the job: output n begins n rows into C and its rows are
; four rows apart, so that together they are C.

.input  a     i0            ; element (k/4, row): A[row][k] to A[row][k+3]
.input  b     i1            ; element (column/4, k): B[k][column] to B[k][column+3]
.output row0  o0
.output row1  o1
.output row2  o2
.output row3  o3
.const  steps n0            ; size / 4; at most 255

; A fetch takes S and T from any two channels of one temporary, so coordinates that share a channel
; share a register, and no moves are needed in the loop.
.temp   ka    r1            ; k/4, 4j, 4j+1, 4j+2: rows of A
.temp   last  r2            ; k/4, 4j+3, i, k+3: the fourth rows of both
.temp   kb    r3            ; i, k, k+1, k+2: rows of B
.temp   c0row r4            ; sums
.temp   c1row r5
.temp   c2row r6
.temp   c3row r7

        mad  ka,   r0.0ggg, 4, {0, 0, 1, 2}
        mad  last, r0.0gr0, {1, 4, 1, 1}, {0, 3, 0, 3}
        mad  kb,   r0.r000, 1, {0, 0, 1, 2}
        mov  c0row, 0
        mov  c1row, 0
        mov  c2row, 0
        mov  c3row, 0

        rep  steps
        ld   r8,  a[ka.rg]
        ld   r9,  a[ka.rb]
        ld   r10, a[ka.ra]
        ld   r11, a[last.rg]
        ld   r12, b[kb.rg]
        ld   r13, b[kb.rb]
        ld   r14, b[kb.ra]
        ld   r15, b[last.ba]

        ; k
        mad  c0row, r8.r,  r12, c0row
        mad  c1row, r9.r,  r12, c1row
        mad  c2row, r10.r, r12, c2row
        mad  c3row, r11.r, r12, c3row
        ; k+1
        mad  c0row, r8.g,  r13, c0row
        mad  c1row, r9.g,  r13, c1row
        mad  c2row, r10.g, r13, c2row
        mad  c3row, r11.g, r13, c3row
        ; k+2
        mad  c0row, r8.b,  r14, c0row
        mad  c1row, r9.b,  r14, c1row
        mad  c2row, r10.b, r14, c2row
        mad  c3row, r11.b, r14, c3row
        ; k+3
        mad  c0row, r8.a,  r15, c0row
        mad  c1row, r9.a,  r15, c1row
        mad  c2row, r10.a, r15, c2row
        mad  c3row, r11.a, r15, c3row

        ; The two units may write different temporaries: RGB | alpha.
        add  ka.r,   ka.r,   1 | add last.a, last.a, 4
        add  last.r, last.r, 1 | add kb.a,   kb.a,   4
        add  kb.gb,  kb.gb,  4
        endrep

        movx row0, c0row
        movx row1, c1row
        movx row2, c2row
        movx row3, c3row
