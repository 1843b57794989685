// GLSL 3.30, 3.3: There are no strings, so no operator `#` makes one.
#version 330
out vec4 color;
#define S(x) #x //~ error: GLSL has no `#` in the text of a macro

void main() {
    float a = S(b); //~ error: `#` outside a directive
}
