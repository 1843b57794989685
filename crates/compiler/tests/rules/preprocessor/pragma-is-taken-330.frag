// GLSL 3.30, 3.3: A pragma that is not known has no effect.
// value: 1 0 0 1
#version 330
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
