#version 300 es
// ES 3.00, 3.4: `#extension` comes before any code.
precision highp float;
out vec4 color;
float f() { return 1.0; }
#extension all : disable //~ error: `#extension` after other text

void main() {
}
