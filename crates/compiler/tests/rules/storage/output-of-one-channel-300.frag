#version 300 es
// ES 3.00, 4.3.6: An output may have fewer than four channels.
precision highp float;
out vec2 color;

void main() {
    color = vec2(1.0, 2.0);
}
