#version 300 es
// ES 3.00, 3.4: A pragma that is not known has no effect.
// value: 1 0 0 1
precision highp float;
out vec4 color;
#pragma
#pragma something ( else
#pragma optimize(on)
#pragma optimize(off)
#pragma debug(on)
#pragma debug(off)
#pragma STDGL something

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
