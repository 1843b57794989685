// GLSL, 1.10: Without `#version` an operator of later versions is a warning.
// value: 2 0 0 1
// set n = 17
uniform int n;
void main() {
    int a = n % 5; //~ warning: GLSL 1.10 has no operator `%`; use `mod` on floats, or begin with `#version 130` or `#version 300 es`; without `#version` the source is read as GLSL 1.10
    gl_FragColor = vec4(float(a), 0.0, 0.0, 1.0);
}
