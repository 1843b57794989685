// ES 1.00, 8.4: The geometric functions take scalars too.
// value: 3 2 6 1
// set u = 3
#version 100
precision mediump float;
uniform float u;

void main() {
    gl_FragColor = vec4(length(-u), distance(u, 1.0), dot(u, 2.0), normalize(u));
}
