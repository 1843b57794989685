#version 300 es
// ES 3.00, 4.2.3: A structure and a variable of one scope have different names.
precision highp float;
out vec4 color;
struct S { float a; };
float S = 1.0; //~ error: `S` is declared twice in one scope

void main() {
    color = vec4(1.0);
}
