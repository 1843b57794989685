// GLSL 3.30, 5.9: `&&`, `||` and `^^` work on bools; `^^` is true where exactly one is.
// value: 1 1 1 0
// set b = 1
#version 330
out vec4 color;
uniform bool b;

void main() {
    color = vec4(float(b && b), float(b || !b), float(b ^^ !b), float(b ^^ b));
}
