#version 300 es
// ES 3.00, 4.5.4: A default is for float, int and samplers.
precision highp float;
out vec4 color;
precision mediump vec2; //~ error
precision mediump bool; //~ error
precision highp mat4; //~ error
precision highp ivec2; //~ error

void main() {
    color = vec4(1.0);
}
