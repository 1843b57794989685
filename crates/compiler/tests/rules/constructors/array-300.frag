#version 300 es
// ES 3.00, 5.4.4: An array is made from its elements.
// value: 1 2 3 4
precision highp float;
out vec4 color;
void main() {
    float a[3] = float[3](1.0, 2.0, 3.0);
    vec2 b[2] = vec2[2](vec2(0.0), vec2(3.0, 4.0));
    color = vec4(a[0], a[1], b[1].x, b[1].y);
}
