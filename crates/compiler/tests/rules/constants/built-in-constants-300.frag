#version 300 es
// ES 3.00, 7.3: Built-in constants are constant expressions, at least as large as the language says.
// value: 1 1 1 1
precision highp float;
out vec4 color;
const int n = gl_MaxDrawBuffers;

void main() {
    float a[gl_MaxTextureImageUnits];
    a[gl_MaxTextureImageUnits - 1] = 1.0;
    color = vec4(n >= 4, gl_MaxTextureImageUnits >= 16, gl_MaxFragmentUniformVectors >= 224, a[gl_MaxTextureImageUnits - 1]);
}
