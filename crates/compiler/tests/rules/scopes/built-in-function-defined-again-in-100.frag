// ES 1.00, 4.2.6: A built-in function is not defined again.
#version 100
precision mediump float;
float sin(float x) { return x; } //~ error: `sin` is a function of the language, which GLSL ES 1.00 does not let a source declare
vec4 texture2D(sampler2D s, vec2 p) { return vec4(1.0); } //~ error: `texture2D` is a function of the language, which GLSL ES 1.00 does not let a source declare

void main() {
    gl_FragColor = vec4(1.0);
}
