// GLSL 3.30, 3.6: Words that are reserved cannot be names of functions.
#version 330
out vec4 color;
float half(float a) { return a; } //~ error: `half` is a reserved word of GLSL 3.30, it cannot be a name

void main() {
    color = vec4(1.0);
}
