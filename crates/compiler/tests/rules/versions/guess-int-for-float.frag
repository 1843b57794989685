// GLSL, 1.10: Without `#version` an int for a float is a warning, since other versions convert it.
// value: 1 1.5 0 1
// set n = 3
uniform int n;
void main() {
    float a = 1; //~ warning: GLSL 1.10 does not convert `int` to `float`, and without `#version` this source is taken for it; write a number with a point, as `2.0`, or convert it with `float(...)`
    float b = n * 0.5; //~ warning: GLSL 1.10 does not convert `int` to `float`, and without `#version` this source is taken for it; write a number with a point, as `2.0`, or convert it with `float(...)`
    gl_FragColor = vec4(a, b, 0.0, 1.0);
}
