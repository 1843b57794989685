// ES 1.00, 3.4: Numbers in `#if` may be octal and hexadecimal.
// value: 1 1 1 1
#version 100
precision mediump float;
#if 010 == 8
#define R 1.0
#endif
#if 0x10 == 16 && 0XFF == 255
#define G 1.0
#endif

void main() {
    gl_FragColor = vec4(R, G, 1.0, 1.0);
}
