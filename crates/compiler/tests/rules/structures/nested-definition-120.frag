// GLSL 1.20, 4.1.8: No structure is defined within another.
#version 120
struct S {
    struct T { float a; } t; //~ error
    float b;
};

void main() {
    gl_FragColor = vec4(1.0);
}
