// GLSL 3.30, 8.4: ftransform belongs to vertex shaders.
#version 330
out vec4 color;
void main() {
    vec4 a = ftransform(); //~ error: there is no function `ftransform`
}
