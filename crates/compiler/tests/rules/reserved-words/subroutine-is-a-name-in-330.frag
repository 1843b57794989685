// GLSL 3.30, 3.6: `subroutine` and `precise` are names like others.
// value: 1 2 0 1
#version 330
out vec4 color;
void main() {
    float subroutine = 1.0, precise = 2.0;
    color = vec4(subroutine, precise, 0.0, 1.0);
}
