// GLSL 1.10, 4.1.9: A size is given once.
#version 110
float a[3];
float a[3]; //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
