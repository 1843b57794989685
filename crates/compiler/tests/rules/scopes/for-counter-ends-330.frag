// GLSL 3.30, 6.3: What the head of `for` declares ends with the loop.
#version 330
out vec4 color;
void main() {
    for (int i = 0; i < 2; i++) {}
    float a = float(i); //~ error: there is no variable `i`
}
