#version 300 es
// ES 3.00, 6.4: A function without a result returns nothing, not even the call of another such function.
precision highp float;
out vec4 color;
void f() {}
void g() {
    return f(); //~ error: this function has no result: it is `void`
}

void main() {
    color = vec4(1.0);
}
