#version 300 es
// ES 3.00, 5.4: Nothing is made from void.
precision highp float;
out vec4 color;
void f() {}

void main() {
    float a = float(f()); //~ error
    vec2 b = vec2(1.0, f()); //~ error
}
