#version 300 es
// ES 3.00, 4.3.3: A constant array of constants may be indexed by a variable.
// value: 20 0 0 1
// set n = 1
precision highp float;
out vec4 color;
uniform int n;
const float a[3] = float[3](10.0, 20.0, 30.0);

void main() {
    color = vec4(a[n], 0.0, 0.0, 1.0);
}
