// GLSL 1.10, 4.5: There are no precisions.
#version 110
precision mediump float; //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
