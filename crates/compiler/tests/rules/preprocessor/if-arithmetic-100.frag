// ES 1.00, 3.4: `#if` computes with integers as C does.
// value: 1 1 1 1
#version 100
precision mediump float;
#if 1 + 2 * 3 == 7 && (1 + 2) * 3 == 9 && 7 / 2 == 3 && 7 % 4 == 3 && 10 - 3 - 2 == 5
#define R 1.0
#endif
#if -7 / 2 == -3 && - -3 == 3 && +3 == 3 && ~0 == -1 && !0 == 1 && !5 == 0
#define G 1.0
#endif
#if 1 << 4 == 16 && -16 >> 2 == -4 && (6 & 3) == 2 && (6 | 3) == 7 && (6 ^ 3) == 5
#define B 1.0
#endif
#if 1 < 2 && 2 > 1 && 2 <= 2 && 2 >= 2 && 1 != 2 && !(1 == 2) && -1 < 0
#define A 1.0
#endif

void main() {
    gl_FragColor = vec4(R, G, B, A);
}
