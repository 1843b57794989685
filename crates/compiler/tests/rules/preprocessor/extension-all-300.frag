#version 300 es
// ES 3.00, 3.4: `all` means every extension, with `warn` or `disable`.
// value: 1 0 0 1
#extension all : disable
#extension all : warn
#extension all:disable
precision highp float;
out vec4 color;

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
