#version 300 es
// ES 3.00, 4.1.8: No structure is defined within another.
precision highp float;
out vec4 color;
struct S {
    struct T { float a; } t; //~ error: GLSL ES 3.00 defines no structure within another
    float b;
};

void main() {
    color = vec4(1.0);
}
