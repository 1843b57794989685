// GLSL 3.30, 6.4: A function without a result returns no value.
#version 330
out vec4 color;
void f() {
    return 1.0; //~ error: this function has no result: it is `void`
}
void g() {}

void main() {
    return 1.0; //~ error: this function has no result: it is `void`
}
