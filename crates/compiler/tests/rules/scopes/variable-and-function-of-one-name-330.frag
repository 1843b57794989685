// GLSL 3.30, 4.2.2: Variables, functions and types of one scope have different names.
#version 330
out vec4 color;
float a = 1.0;
float a() { return 1.0; } //~ error: `a` is declared twice in one scope
float b() { return 1.0; }
float b = 1.0; //~ error: `b` is declared twice in one scope

void main() {
    color = vec4(1.0);
}
