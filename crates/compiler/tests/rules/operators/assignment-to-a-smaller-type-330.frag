// GLSL 3.30, 5.8: The result of an operator fits the variable.
#version 330
out vec4 color;
void main() {
    float a = 1.0;
    a += vec2(1.0); //~ error: `+=` makes `vec2` of `float` and `vec2`; expected `float`
    a *= mat2(1.0); //~ error: `*=` makes `mat2` of `float` and `mat2`; expected `float`
    vec2 v = vec2(1.0);
    v *= mat3(1.0); //~ error: `*` does not take `vec2` and `mat3`
}
