// GLSL, 1.10: Without `#version` an int as an argument of a float is a warning.
// value: 2 3 0 1
float f(float x) { return x + 1.0; }
void main() {
    float a = f(1); //~ warning: GLSL 1.10 does not convert `int` to `float`, and without `#version` this source is taken for it; write a number with a point, as `2.0`, or convert it with `float(...)`
    float b = max(3, 1.0); //~ warning: GLSL 1.10 does not convert `int` to `float`, and without `#version` this source is taken for it; write a number with a point, as `2.0`, or convert it with `float(...)`
    gl_FragColor = vec4(a, b, 0.0, 1.0);
}
