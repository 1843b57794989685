// ES 1.00, 5.9: Both sides of `:` have one type.
#version 100
precision mediump float;
void main() {
    float a = true ? 1.0 : vec2(1.0); //~ error: both sides of `?:` must have one type, not `float` and `vec2`
    vec2 b = true ? vec2(1.0) : vec3(1.0); //~ error: both sides of `?:` must have one type, not `vec2` and `vec3`
    float c = true ? 1.0 : false; //~ error: both sides of `?:` must have one type, not `float` and `bool`
}
