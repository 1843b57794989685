#version 300 es
// ES 3.00, 3.5: A comment counts as one space, so that it ends a token.
// value: 3 0 0 1
precision highp float;
out vec4 color;
void main() {
    const/**/int/**/a = 3;
    color = vec4(a, 0, 0, 1);
}
