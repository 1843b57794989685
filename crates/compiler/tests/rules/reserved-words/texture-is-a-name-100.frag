// ES 1.00, 3.7: `texture` is no keyword: a variable may have the name.
// value: 2 0 0 1
#version 100
precision mediump float;
void main() {
    float texture = 2.0;
    gl_FragColor = vec4(texture, 0.0, 0.0, 1.0);
}
