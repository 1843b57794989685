// GLSL 1.20, 8.4: ftransform belongs to vertex shaders.
#version 120
void main() {
    vec4 a = ftransform(); //~ error
}
