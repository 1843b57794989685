// GLSL 1.10, 6.1: An int is not returned for a float.
#version 110
float f() {
    return 1; //~ error: the result is of type `int`; expected `float`
}

void main() {
    gl_FragColor = vec4(f(), 0.0, 0.0, 1.0);
}
