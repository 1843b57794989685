// GLSL 1.10, 4.1.9: The later size holds all that was used before.
#version 110
float a[];
float f() {
    a[5] = 1.0;
    return a[5];
}
float a[4]; //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
