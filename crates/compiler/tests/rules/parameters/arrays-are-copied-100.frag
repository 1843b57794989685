// ES 1.00, 4.4: An array is copied like any other argument.
// value: 1 5 6 1
#version 100
precision mediump float;
float f(float a[2]) { a[0] = 9.0; return a[1]; }
void g(inout float a[2]) { a[1] += 4.0; }

void main() {
    float a[2];
    a[0] = 1.0;
    a[1] = 1.0;
    float b = f(a);
    g(a);
    gl_FragColor = vec4(a[0], a[1], b + 5.0, 1.0);
}
