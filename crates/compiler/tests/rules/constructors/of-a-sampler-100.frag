// ES 1.00, 5.4: Nothing is made from a sampler, and no sampler is made.
#version 100
precision mediump float;
uniform sampler2D s;

void main() {
    float a = float(s); //~ error: `float` is not made of (sampler2D)
    vec4 b = vec4(s); //~ error: `vec4` is not made of (sampler2D)
}
