// GLSL 3.30, 5.9: Matrices of different sizes are not added.
#version 330
out vec4 color;
void main() {
    mat2 a = mat2(1.0);
    mat3 b = mat3(1.0);
    mat2 c = a + b; //~ error: `+` does not take `mat2` and `mat3`
    mat2 d = a + vec2(1.0); //~ error: `+` does not take `mat2` and `vec2`
}
