// GLSL 3.30, 3.3: `#` is the first token of its line.
#version 330
out vec4 color;
void main() {
    float a = 1.0; #define B 2.0 //~ error: `#` outside a directive
}
