// GLSL 3.30, 4.1.9: The later size holds all that was used before.
#version 330
out vec4 color;
float a[];
float f() {
    a[5] = 1.0;
    return a[5];
}
float a[4]; //~ error: `a` has 4 elements here, and `[5]` was used above

void main() {
    color = vec4(1.0);
}
