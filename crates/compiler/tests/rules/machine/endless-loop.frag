#version 300 es
// ES 3.00, 6.3: A loop without a way out never gives a result.
precision highp float;
out vec4 color;
uniform float u;

void main() {
    float a = 0.0;
    for (;;) a += u; //~ error: this loop never ends
    color = vec4(a);
}
