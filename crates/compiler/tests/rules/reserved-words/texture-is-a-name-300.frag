#version 300 es
// ES 3.00, 3.7: `texture` is no keyword: a variable may have the name.
// value: 2 0 0 1
precision highp float;
out vec4 color;
void main() {
    float texture = 2.0;
    color = vec4(texture, 0.0, 0.0, 1.0);
}
