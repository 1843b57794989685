// GLSL 3.30, 4.1.9: A size is given once.
#version 330
out vec4 color;
float a[3];
float a[3]; //~ error: `a` is declared twice in one scope

void main() {
    color = vec4(1.0);
}
