// ES 1.00, 4.7: `invariant` comes first.
#version 100
precision mediump float;
varying invariant vec2 a; //~ error: `invariant` comes before `varying` in GLSL ES 1.00

void main() {
    gl_FragColor = vec4(1.0);
}
