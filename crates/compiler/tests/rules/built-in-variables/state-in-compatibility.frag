// GLSL 3.30, 7.4.1: The compatibility profile has OpenGL's state.
// set gl_TextureEnvColor[15] = 1 2 3 4
// set gl_BackLightModelProduct.sceneColor = 1 1 1 1
// value: 2 3 4 20
#version 330 compatibility
out vec4 color;
void main() {
    color = gl_TextureEnvColor[15] + gl_BackLightModelProduct.sceneColor;
    color.a += float(gl_TextureEnvColor.length() - 1 + gl_MaxLights - gl_LightSource.length());
}
