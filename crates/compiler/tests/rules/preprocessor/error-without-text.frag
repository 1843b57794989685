// GLSL 3.30, 3.3: `#error` is an error without a text, too.
#version 330
out vec4 color;
#error //~ error: #error

void main() {
    color = vec4(1.0);
}
