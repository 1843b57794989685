// ES 1.00, 4.3.2: A constant is not written.
#version 100
precision mediump float;
const float g = 1.0;

void main() {
    const vec2 a = vec2(1.0, 2.0);
    g = 2.0; //~ error
    a.x = 1.0; //~ error
    a += 1.0; //~ error
    a[0]++; //~ error
}
