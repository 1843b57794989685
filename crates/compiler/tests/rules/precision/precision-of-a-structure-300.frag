#version 300 es
// ES 3.00, 4.5.3: A structure has no precision, only its members.
precision highp float;
out vec4 color;
struct S { float a; };

void main() {
    mediump S s = S(1.0); //~ error
}
