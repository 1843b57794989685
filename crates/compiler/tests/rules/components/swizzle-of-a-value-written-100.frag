// ES 1.00, 5.8: A component of a value is not written.
#version 100
precision mediump float;
vec2 f() { return vec2(1.0); }

void main() {
    f().x = 1.0; //~ error: this is a value; `=` needs a variable, or a part of one
    vec2(1.0).y = 1.0; //~ error: this is a value; `=` needs a variable, or a part of one
}
