// ES 1.00, 4.6.1: `#pragma STDGL invariant(all)` asks for it everywhere.
// value: 1 0 0 1
#version 100
precision mediump float;
#pragma STDGL invariant(all)

void main() {
    gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0);
}
