// ES 1.00, 4.5.3: Integers, samplers and bools need no precision.
// value: 1 0 0 1
#version 100
uniform sampler2D s;
int f(int a) { return a; }

void main() {
    ivec2 a = ivec2(1, f(2));
    bool b = a.x == 1;
    gl_FragColor = vec4(b, 0.0, 0.0, 1.0);
}
