#version 300 es
// ES 3.00, 7.3: The constants of other versions are not there.
precision highp float;
out vec4 color;
void main() {
    int a = gl_MaxVaryingVectors; //~ error
    int b = gl_MaxLights; //~ error
}
