// GLSL 3.30, 5.9: The right side of && and || does not run where a constant on the left decides.
// set x = 3 0 0 0
// value: 3 1 0 4
#version 330
uniform vec4 x;
out vec4 color;
float last;
bool next(float to) { last = to; return true; }
void main() {
    last = x.x;
    bool no = false && next(8.0);
    bool yes = true || next(9.0);
    color.xyz = vec3(last, yes, no);
    color.w = true && next(4.0) ? last : 0.0;
}
