// GLSL 3.30, 4.2: A name counts from its declaration on.
#version 330
out vec4 color;
float f() { return g; } //~ error
float g = 1.0;

void main() {
    float a = b; //~ error
    float b = 1.0;
    color = vec4(f() + a);
}
