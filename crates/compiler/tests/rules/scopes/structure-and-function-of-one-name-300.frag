#version 300 es
// ES 3.00, 4.2.2: Variables, functions and types of one scope have different names.
precision highp float;
out vec4 color;
struct S { float a; };
float S(float a) { return a; } //~ error: `S` is declared twice in one scope
float T(float a) { return a; }
struct T { float a; }; //~ error: `T` is declared twice in one scope

void main() {
    color = vec4(1.0);
}
