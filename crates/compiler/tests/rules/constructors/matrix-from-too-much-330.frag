// GLSL 3.30, 5.4.2: An argument of which no number is used is an error.
#version 330
out vec4 color;
void main() {
    mat2 a = mat2(1.0, 2.0, 3.0, 4.0, 5.0); //~ error: `mat2` is not made of (float, float, float, float, float)
    mat2 b = mat2(vec4(1.0), 1.0); //~ error: `mat2` is not made of (vec4, float)
    mat2 c = mat2(vec2(1.0), vec2(1.0), vec2(1.0)); //~ error: `mat2` is not made of (vec2, vec2, vec2)
}
