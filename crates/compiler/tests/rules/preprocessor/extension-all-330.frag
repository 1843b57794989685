// GLSL 3.30, 3.3: `all` means every extension, with `warn` or `disable`.
// value: 1 0 0 1
#version 330
out vec4 color;
#extension all : disable
#extension all : warn
#extension all:disable

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
