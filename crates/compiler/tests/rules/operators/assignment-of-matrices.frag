// ES 1.00, 5.11: `v *= m` is v = v * m, and m *= s multiplies every element.
// value: 7 10 2 8
#version 100
precision mediump float;
void main() {
    vec2 v = vec2(1.0, 2.0);
    mat2 m = mat2(1.0, 3.0, 2.0, 4.0);
    v *= m;
    m *= 2.0;
    gl_FragColor = vec4(v, m[0][0], m[1][1]);
}
