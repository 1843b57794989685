// GLSL 3.30, 4.2: A name counts from its declaration on.
#version 330
out vec4 color;
float f() { return g; } //~ error: there is no variable `g`
float g = 1.0;

void main() {
    float a = b; //~ error: there is no variable `b`
    float b = 1.0;
    color = vec4(f() + a);
}
