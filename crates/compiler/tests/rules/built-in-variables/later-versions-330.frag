// GLSL 3.30, 7.2: These variables belong to later versions.
#version 330
out vec4 color;
void main() {
    int a = gl_SampleID; //~ error: there is no variable `gl_SampleID` here
    int b = gl_Layer; //~ error: there is no variable `gl_Layer` here
}
