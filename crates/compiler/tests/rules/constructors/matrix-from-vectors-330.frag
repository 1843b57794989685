// GLSL 3.30, 5.4.2: A matrix takes vectors as columns, or any parts one after the other.
// value: 3 4 2 7
#version 330
out vec4 color;
void main() {
    mat2 a = mat2(vec2(1.0, 2.0), vec2(3.0, 4.0));
    mat3 b = mat3(1.0, vec2(2.0, 3.0), vec3(4.0, 5.0, 6.0), 7.0, 8.0, 9.0);
    color = vec4(a[1], b[0][1], b[2][0]);
}
