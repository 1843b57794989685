// GLSL 3.30, 7.4.1: The core profile has no state but the range of depths.
// set gl_DepthRange.near = 0.25
#version 330
out vec4 color;
void main() {
    vec4 a = gl_LightSource[0].ambient; //~ error: GLSL 3.30 has no `gl_LightSource` (it is in GLSL 1.10 to 1.30 and the profile `compatibility`)
    vec4 b = gl_ModelViewMatrix * vec4(1.0); //~ error: GLSL 3.30 has no `gl_ModelViewMatrix` (it is in GLSL 1.10 to 1.30 and the profile `compatibility`)
    gl_FogParameters fog; //~ error: there is no type `gl_FogParameters`
    color = a + b + vec4(gl_DepthRange.near);
}
