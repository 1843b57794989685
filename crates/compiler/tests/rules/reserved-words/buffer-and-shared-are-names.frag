// GLSL 3.30, 3.6: `buffer`, `shared` and `std140` are names like others.
// value: 1 2 3 1
#version 330
out vec4 color;
void main() {
    float buffer = 1.0, shared = 2.0, std140 = 3.0;
    color = vec4(buffer, shared, std140, 1.0);
}
