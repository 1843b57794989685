// GLSL 3.30, 4.1.8: The members of a structure are names within it only.
#version 330
out vec4 color;
struct S { float a; };

void main() {
    S s = S(1.0);
    color = vec4(a); //~ error: there is no variable `a`
}
