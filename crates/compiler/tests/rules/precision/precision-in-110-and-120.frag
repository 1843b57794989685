// GLSL 1.20, 3.6: There are no precisions.
#version 120
precision mediump float; //~ error: `precision` is a keyword of GLSL 1.30 and GLSL ES 1.00, not of GLSL 1.20

void main() {
    gl_FragColor = vec4(1.0);
}
