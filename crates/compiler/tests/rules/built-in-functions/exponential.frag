// ES 1.00, 8.2: pow, exp, log, exp2, log2, sqrt, inversesqrt work on floats and vectors.
// value: 8 4 3 0.5
// set u = 3
#version 100
precision mediump float;
uniform float u;

void main() {
    vec2 v = exp2(vec2(u, 2.0));
    gl_FragColor = vec4(v, sqrt(9.0), inversesqrt(4.0) + log2(1.0) + log(1.0) + exp(0.0) - 1.0);
}
