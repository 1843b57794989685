// GLSL 3.30, 3.3: `#define` needs a name.
#version 330
out vec4 color;
#define //~ error: expected the name of a macro
#define 1 2 //~ error: expected the name of a macro, found `1`
#define (x) x //~ error: expected the name of a macro, found `(`

void main() {
    color = vec4(1.0);
}
