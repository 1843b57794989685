// GLSL 3.30, 3.1: A comment may hold characters that the language has no use for.
// value: 1 0 0 1
#version 330
out vec4 color;
// "quotes" 'one' $ @ ` \ and a backslash before more text, äöü, 漢字
/* " ' $ @ ` äöü */

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
