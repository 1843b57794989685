#version 300 es
// ES 3.00, 7.3: The constants of other versions are not there.
precision highp float;
out vec4 color;
void main() {
    int a = gl_MaxVaryingVectors; //~ error: GLSL ES 3.00 has no `gl_MaxVaryingVectors` (it is in GLSL ES 1.00 and GLSL 4.10 and later)
    int b = gl_MaxLights; //~ error: GLSL ES 3.00 has no `gl_MaxLights` (it is in GLSL 1.10 to 1.30 and the profile `compatibility`)
}
