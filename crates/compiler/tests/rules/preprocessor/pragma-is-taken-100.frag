// ES 1.00, 3.4: A pragma that is not known has no effect.
// value: 1 0 0 1
#version 100
precision mediump float;
#pragma
#pragma something ( else
#pragma optimize(on)
#pragma optimize(off)
#pragma debug(on)
#pragma debug(off)
#pragma STDGL something

void main() {
    gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0);
}
