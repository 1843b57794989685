// GLSL 3.30, 4.2.2: A name counts after its initial value: `int x = x;` reads an x from outside, if any.
#version 330
out vec4 color;
void main() {
    float a = a; //~ error: there is no variable `a`
}
