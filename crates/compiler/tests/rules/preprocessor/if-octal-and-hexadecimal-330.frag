// GLSL 3.30, 3.3: Numbers in `#if` may be octal and hexadecimal.
// value: 1 1 1 1
#version 330
out vec4 color;
#if 010 == 8
#define R 1.0
#endif
#if 0x10 == 16 && 0XFF == 255
#define G 1.0
#endif

void main() {
    color = vec4(R, G, 1.0, 1.0);
}
