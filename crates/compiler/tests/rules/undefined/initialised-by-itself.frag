// GLSL 3.30, 4.2.2: A variable does not have its own value as its first.
#version 330
out vec4 color;
void main() {
    float a = a + 1.0; //~ error: there is no variable `a`
}
