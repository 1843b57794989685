// GLSL 3.30, 4.1.1: A call of a function without a result is no value.
#version 330
out vec4 color;
void f() {}

void main() {
    float a = f(); //~ error: this function has no result: it is `void`
    float b = 1.0 + f(); //~ error: this function has no result: it is `void`
    color = vec4(f(), 1.0); //~ error: this function has no result: it is `void`
}
