// GLSL 3.30, 7.3: Built-in constants are constant expressions, at least as large as the language says.
// value: 1 1 1 1
#version 330
out vec4 color;
const int n = gl_MaxDrawBuffers;

void main() {
    float a[gl_MaxTextureImageUnits];
    a[gl_MaxTextureImageUnits - 1] = 1.0;
    color = vec4(n >= 4, gl_MaxTextureImageUnits >= 16, gl_MaxFragmentUniformComponents >= 1024, a[gl_MaxTextureImageUnits - 1]);
}
