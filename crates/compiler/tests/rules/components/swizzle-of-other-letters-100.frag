// ES 1.00, 5.5: A component has one of the letters.
#version 100
precision mediump float;
void main() {
    vec4 v = vec4(1.0);
    float a = v.m; //~ error
    float b = v.u; //~ error
    vec2 c = v.uv; //~ error
    float d = v.X; //~ error
    float e = v.color; //~ error
}
