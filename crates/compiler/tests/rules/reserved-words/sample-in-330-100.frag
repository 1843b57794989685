// ES 1.00, 3.7: `sample` and `patch` are names like others.
// value: 1 2 0 1
#version 100
precision mediump float;
void main() {
    float sample = 1.0, patch = 2.0;
    gl_FragColor = vec4(sample, patch, 0.0, 1.0);
}
