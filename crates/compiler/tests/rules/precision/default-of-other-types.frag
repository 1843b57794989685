// ES 1.00, 4.5.3: A default is for float, int and samplers.
#version 100
precision mediump float;
precision mediump vec2; //~ error
precision mediump bool; //~ error
precision highp mat4; //~ error
precision highp ivec2; //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
