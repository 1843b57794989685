// GLSL 3.30, 3.3: A directive is a word.
#version 330
out vec4 color;
#1 //~ error: unknown directive `#1`

void main() {
    color = vec4(1.0);
}
