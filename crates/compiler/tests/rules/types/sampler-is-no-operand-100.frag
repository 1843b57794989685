// ES 1.00, 4.1.7: Samplers are no operands.
#version 100
precision mediump float;
uniform sampler2D s, t;

void main() {
    bool a = s == t; //~ error
    float b = s + 1.0; //~ error
    gl_FragColor = vec4(s); //~ error
    true ? s : t; //~ error
}
