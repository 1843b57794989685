// GLSL 1.50, 7.2: The core profile has no fixed functions.
#version 150 core
out vec4 color;
void main() {
    color = gl_Color; //~ error: GLSL 1.50 has no `gl_Color` (it is in GLSL 1.10 to 1.30 and the profile `compatibility`)
    int a = gl_MaxLights; //~ error: GLSL 1.50 has no `gl_MaxLights` (it is in GLSL 1.10 to 1.30 and the profile `compatibility`)
}
