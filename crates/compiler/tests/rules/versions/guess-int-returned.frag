// GLSL, 1.10: Without `#version` an int for a float that a function returns is a warning.
// value: 1 0 0 1
float f() {
    return 1; //~ warning: GLSL 1.10 does not convert `int` to `float`, and without `#version` this source is taken for it; write a number with a point, as `2.0`, or convert it with `float(...)`
}
void main() {
    gl_FragColor = vec4(f(), 0.0, 0.0, 1.0);
}
