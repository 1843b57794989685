// GLSL 3.30, 3.3: `#define` needs a name.
#version 330
out vec4 color;
#define //~ error
#define 1 2 //~ error
#define (x) x //~ error

void main() {
    color = vec4(1.0);
}
