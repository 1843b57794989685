// ES 1.00, 4.3.2: A constant is not written.
#version 100
precision mediump float;
const float g = 1.0;

void main() {
    const vec2 a = vec2(1.0, 2.0);
    g = 2.0; //~ error: `g` is constant, and cannot be written to
    a.x = 1.0; //~ error: `a` is constant, and cannot be written to
    a += 1.0; //~ error: `a` is constant, and cannot be written to
    a[0]++; //~ error: `a` is constant, and cannot be written to
}
