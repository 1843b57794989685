# Bit reversal permutation of 4096 elements, stored as 64 x 64: the element with the number
# n = 64 j + i goes to the number whose 12 bits are those of n in reverse order.
#
# A program's ordinary outputs land at the point's own (i, j). To write anywhere else it must
# be an uncached-write program (UMRT): every OUT then carries one value and its address,
#     r = the 32 bits to store, g = x, b = y, a = 0
# and goes to output 0 at once.
#
# There are no integers, so bits are taken off with FRC: half of an odd number has the
# fraction 0.5. Both halves of the number are six bits long, and reversed they change places:
#     x' = reverse(j), y' = reverse(i)
# so one loop turns both round, in the channels g and b, where the address has to be in the end.

.umrt
.input  data     i0
.output permuted o0
.temp   point    r0             # (i, j, 0, 0) at the start
.temp   record   r1             # value, x', y', 0
.temp   rest     r2             # g, b: what is left of j and i, halved
.temp   bit      r3             # g, b: 0.5 if the bit is set

    # The sum starts at 0, and so does the alpha of the record. Temporaries hold nothing in
    # particular when a program starts on hardware (here they hold 0): set what is read.
    mov  record, 0
    ld   record.r, data[point.rg]       # the value, bit for bit
    mul  rest.gb, point.gr, 0.5         # (j, i) / 2

    rep 6
        frc   bit.gb, rest.gb                           # lowest bit, as 0 or 0.5
        # Output modifiers double and halve for nothing.
        add*2 record.gb, record.gb, bit.gb              # 2 (record + bit) = 2 record + 2 bit
        sub/2 rest.gb, rest.gb, bit.gb                  # drop the bit, next one below
    endrep

    # MAX with the output modifier disabled copies bits: a value may be a NaN with a payload or
    # a denormal, which arithmetic would not leave alone.
    movx permuted, record
