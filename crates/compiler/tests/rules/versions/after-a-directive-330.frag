// GLSL 3.30, 3.3: `#version` comes before any other directive.
#define A 1.0
#version 330 //~ error
void main() {
}
