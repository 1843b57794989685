#version 300 es
// ES 3.00, 5.9: A remainder by 0 is undefined, no error.
precision highp float;
out vec4 color;
uniform int n;

void main() {
    color = vec4(n % (n - n));
}
