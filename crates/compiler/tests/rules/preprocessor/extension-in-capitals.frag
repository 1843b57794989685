#version 300 es
// ES 3.00, 3.4: Behaviours are written in small letters.
precision highp float;
out vec4 color;
#extension all : DISABLE //~ error: `DISABLE` is no behaviour

void main() {
    color = vec4(1.0);
}
