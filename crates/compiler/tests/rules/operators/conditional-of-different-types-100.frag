// ES 1.00, 5.9: Both sides of `:` have one type.
#version 100
precision mediump float;
void main() {
    float a = true ? 1.0 : vec2(1.0); //~ error
    vec2 b = true ? vec2(1.0) : vec3(1.0); //~ error
    float c = true ? 1.0 : false; //~ error
}
