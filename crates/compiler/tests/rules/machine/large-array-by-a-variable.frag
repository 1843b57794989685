// GLSL 3.30, 5.7: A large array cannot be indexed by a variable.
#version 330
out vec4 color;
uniform float w[2000];
uniform int n;

void main() {
    color = vec4(w[n]); //~ error: an array of 2000 elements cannot be indexed by a variable
}
