// ES 1.00, 4.5.3: The last default counts.
// value: 1 0 0 1
#version 100
precision mediump float;
precision lowp float;
precision highp float;

void main() {
    float a = 1.0;
    gl_FragColor = vec4(a, 0.0, 0.0, 1.0);
}
