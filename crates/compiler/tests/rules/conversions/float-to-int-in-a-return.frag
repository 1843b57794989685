// GLSL 3.30, 6.4: A float is never converted to int.
#version 330
out vec4 color;
int f() {
    return 1.0; //~ error: the result is of type `float`; expected `int`
}

void main() {
    color = vec4(1.0);
}
