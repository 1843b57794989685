// GLSL 1.10, 6.1: A function returns no array.
#version 110
float[2] f(); //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
