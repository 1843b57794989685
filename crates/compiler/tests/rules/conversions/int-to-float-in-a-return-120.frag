// GLSL 1.20, 6.4: A returned int is converted to the function's type.
// value: 1 0 0 1
#version 120
float f() {
    return 1;
}

void main() {
    gl_FragColor = vec4(f(), 0.0, 0.0, 1.0);
}
