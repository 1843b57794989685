// ES 1.00, 5.9: The operand before `?` is a bool.
#version 100
precision mediump float;
void main() {
    float a = 1 ? 2.0 : 3.0; //~ error: `?:` takes a condition of type `bool`, not `int`
    float b = 1.0 ? 2.0 : 3.0; //~ error: `?:` takes a condition of type `bool`, not `float`
    vec2 c = bvec2(true) ? vec2(1.0) : vec2(2.0); //~ error: `?:` takes a condition of type `bool`, not `bvec2`
}
