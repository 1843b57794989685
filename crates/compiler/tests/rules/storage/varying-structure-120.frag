// GLSL 1.20, 4.3.6: A structure is no varying.
#version 120
struct S { float a; };
varying S s; //~ error: in GLSL 1.20 an input cannot be a structure

void main() {
    gl_FragColor = vec4(1.0);
}
