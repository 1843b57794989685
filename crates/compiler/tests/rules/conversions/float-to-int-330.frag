// GLSL 3.30, 4.1.10: A float is never converted to int.
#version 330
out vec4 color;
int f(int a) { return a; }

void main() {
    int a = 1.0; //~ error
    a = 2.0; //~ error
    int b = f(1.5); //~ error
    ivec2 c = vec2(1.0); //~ error
    a += 1.0; //~ error
}
