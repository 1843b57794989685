#version 300 es
// ES 3.00, 4.1.5: There are vectors of two to four unsigned integers.
// value: 2 3 4 1
precision highp float;
out vec4 color;
void main() {
    uvec2 a = uvec2(1u, 2u);
    uvec3 b = uvec3(1u, 2u, 3u);
    uvec4 c = uvec4(1u, 2u, 3u, 4u);
    color = vec4(a.y, b.z, c.w, 1.0);
}
