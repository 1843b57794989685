// GLSL 3.30, 3.3: `#version` comes before any code.
void f() {}
#version 330 //~ error: `#version` must be the first of the source
void main() {
}
