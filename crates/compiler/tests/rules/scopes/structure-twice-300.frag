#version 300 es
// ES 3.00, 4.2.2: A structure is declared once in a scope.
precision highp float;
out vec4 color;
struct S { float a; };
struct S { float a; }; //~ error

void main() {
    color = vec4(1.0);
}
