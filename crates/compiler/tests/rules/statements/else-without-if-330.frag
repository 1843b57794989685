// GLSL 3.30, 6.2: `else` belongs to an `if`.
#version 330
out vec4 color;
void main() {
    color = vec4(1.0);
    else color = vec4(2.0); //~ error: this `else` has no `if`
}
