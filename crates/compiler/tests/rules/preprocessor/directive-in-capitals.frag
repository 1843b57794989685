#version 300 es
// ES 3.00, 3.4: Directives are written in small letters.
precision highp float;
out vec4 color;
#DEFINE A 1 //~ error: unknown directive `#DEFINE`

void main() {
    color = vec4(1.0);
}
