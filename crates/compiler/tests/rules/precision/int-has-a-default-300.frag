#version 300 es
// ES 3.00, 4.5.4: Integers, samplers and bools need no precision.
// value: 1 0 0 1
out mediump vec4 color;
uniform sampler2D s;
int f(int a) { return a; }

void main() {
    ivec2 a = ivec2(1, f(2));
    bool b = a.x == 1;
    color = vec4(b, 0.0, 0.0, 1.0);
}
