#version 300 es
// ES 3.00, 3.4: `all` cannot be required or enabled.
precision highp float;
out vec4 color;
#extension all : require //~ error: `#extension` after other text
#extension all : enable //~ error: `#extension` after other text

void main() {
    color = vec4(1.0);
}
