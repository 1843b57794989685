// GLSL 3.30, 4.3.4: An input whose structure has integers is flat.
#version 330
out vec4 color;
struct S { float a; int b; };
in S s; //~ error: an input of type `S` has integers, and must be `flat`
flat in S ok;

void main() {
    color = vec4(1.0);
}
