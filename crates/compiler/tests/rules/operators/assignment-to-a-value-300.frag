#version 300 es
// ES 3.00, 5.8: What is assigned to is a variable or a part of one.
precision highp float;
out vec4 color;
float f() { return 1.0; }

void main() {
    float a;
    1.0 = a; //~ error
    a + 1.0 = 2.0; //~ error
    f() = 1.0; //~ error
    -a = 1.0; //~ error
    vec2(a) = vec2(1.0); //~ error
}
