// GLSL 1.20, 4.3.4: Attributes belong to vertex shaders.
#version 120
attribute vec4 a; //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
