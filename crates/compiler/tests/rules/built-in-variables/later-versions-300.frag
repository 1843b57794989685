#version 300 es
// ES 3.00, 7.2: These variables belong to later versions.
precision highp float;
out vec4 color;
void main() {
    int a = gl_SampleID; //~ error: there is no variable `gl_SampleID` here
    int b = gl_Layer; //~ error: there is no variable `gl_Layer` here
}
