// GLSL 1.10, 6.1: A function returns no array.
#version 110
float[2] f(); //~ error: in GLSL 1.10 a function's result has no arrays

void main() {
    gl_FragColor = vec4(1.0);
}
