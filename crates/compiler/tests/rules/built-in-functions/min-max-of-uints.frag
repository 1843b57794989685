#version 300 es
// ES 3.00, 8.3: min, max and clamp take unsigned integers.
// value: 2 3 4 1
precision highp float;
out vec4 color;
void main() {
    color = vec4(min(2u, 3u), max(uvec2(1u, 2u), 3u).x, clamp(9u, 1u, 4u), 1.0);
}
