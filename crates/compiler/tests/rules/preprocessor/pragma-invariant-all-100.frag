// ES 1.00, 4.6.1: `#pragma STDGL invariant(all)` before all declarations is for the outputs of vertex shaders.
// value: 1 1 1 1
#version 100
#pragma STDGL invariant(all)
precision mediump float;

void main() {
    gl_FragColor = vec4(1.0);
}
