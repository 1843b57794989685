// GLSL 3.30, 3.5: `--3.0` is a decrement of a number, not two signs.
#version 330
out vec4 color;
void main() {
    float a = --3.0; //~ error: this is a value; `--` needs a variable, or a part of one
}
