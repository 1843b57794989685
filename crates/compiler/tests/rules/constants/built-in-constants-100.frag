// ES 1.00, 7.4: Built-in constants are constant expressions, at least as large as the language says.
// value: 1 1 1 1
#version 100
precision mediump float;
const int n = gl_MaxDrawBuffers;

void main() {
    float a[gl_MaxTextureImageUnits];
    a[gl_MaxTextureImageUnits - 1] = 1.0;
    gl_FragColor = vec4(float(n >= 1), float(gl_MaxTextureImageUnits >= 8), float(gl_MaxFragmentUniformVectors >= 16), a[gl_MaxTextureImageUnits - 1]);
}
