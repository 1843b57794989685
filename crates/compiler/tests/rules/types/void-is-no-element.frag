#version 300 es
// ES 3.00, 4.1.1: The elements of an array are not void.
precision highp float;
out vec4 color;
void a[2]; //~ error: the variable `a` cannot be `void`

void main() {
    color = vec4(1.0);
}
