// GLSL 3.30, 4.3.2: A constant has an initial value.
#version 330
out vec4 color;
const float g; //~ error: the constant `g` needs a value

void main() {
    const vec4 a; //~ error: the constant `a` needs a value
}
