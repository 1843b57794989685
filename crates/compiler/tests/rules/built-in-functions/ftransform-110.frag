// GLSL 1.10, 8.4: ftransform belongs to vertex shaders.
#version 110
void main() {
    vec4 a = ftransform(); //~ error
}
