#version 300 es
// ES 3.00, 6.4: A function without a result returns no value.
precision highp float;
out vec4 color;
void f() {
    return 1.0; //~ error: this function has no result: it is `void`
}
void g() {}

void main() {
    return 1.0; //~ error: this function has no result: it is `void`
}
