// GLSL 1.20, 3.6: There are no precisions.
#version 120
precision mediump float; //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
