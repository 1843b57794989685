// ES 1.00, 5.5: A component is one that the vector has.
#version 100
precision mediump float;
void main() {
    vec2 v = vec2(1.0);
    float a = v.z; //~ error: `vec2` has no component `z`
    vec2 b = v.xw; //~ error: `vec2` has no component `w`
    float c = v.b; //~ error: `vec2` has no component `b`
    v.p = 1.0; //~ error: `vec2` has no component `p`
}
