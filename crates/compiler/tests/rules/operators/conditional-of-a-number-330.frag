// GLSL 3.30, 5.9: The operand before `?` is a bool.
#version 330
out vec4 color;
void main() {
    float a = 1 ? 2.0 : 3.0; //~ error: `?:` takes a condition of type `bool`, not `int`
    float b = 1.0 ? 2.0 : 3.0; //~ error: `?:` takes a condition of type `bool`, not `float`
    vec2 c = bvec2(true) ? vec2(1.0) : vec2(2.0); //~ error: `?:` takes a condition of type `bool`, not `bvec2`
}
