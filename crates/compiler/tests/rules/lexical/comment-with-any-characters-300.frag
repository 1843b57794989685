#version 300 es
// ES 3.00, 3.1: A comment may hold characters that the language has no use for.
// value: 1 0 0 1
precision highp float;
out vec4 color;
// "quotes" 'one' $ @ ` \ and a backslash before more text, äöü, 漢字
/* " ' $ @ ` äöü */

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
