// GLSL 3.30, 7.2: These variables belong to later versions.
#version 330
out vec4 color;
void main() {
    int a = gl_SampleID; //~ error
    int b = gl_Layer; //~ error
}
