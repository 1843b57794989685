// ES 1.00, 4.5.3: A default is for float, int and samplers.
#version 100
precision mediump float;
precision mediump vec2; //~ error: a default precision is for `float`, `int` or a sampler
precision mediump bool; //~ error: a default precision is for `float`, `int` or a sampler
precision highp mat4; //~ error: a default precision is for `float`, `int` or a sampler
precision highp ivec2; //~ error: a default precision is for `float`, `int` or a sampler

void main() {
    gl_FragColor = vec4(1.0);
}
