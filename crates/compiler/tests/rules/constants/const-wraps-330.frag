// GLSL 3.30, 4.1.3: Integer constants wrap around.
// value: 1 1 1 1
#version 330
out vec4 color;
const bool a = 4294967295u + 2u == 1u;
const bool b = 0u - 1u == 4294967295u;
const bool c = 2147483647 + 1 < 0;
const bool d = 65536 * 65536 == 0;

void main() {
    color = vec4(a, b, c, d);
}
