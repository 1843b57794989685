// GLSL 3.30, 5.4.2: A matrix needs as many numbers as it has.
#version 330
out vec4 color;
void main() {
    mat2 a = mat2(1.0, 2.0, 3.0); //~ error: `mat2` is not made of (float, float, float)
    mat3 b = mat3(vec3(1.0), vec3(1.0)); //~ error: `mat3` is not made of (vec3, vec3)
    mat2 c = mat2(vec2(1.0)); //~ error: `mat2` is not made of (vec2)
}
