#version 300 es
// ES 3.00, 7.2: ES 3.00 has no gl_FragColor: a shader declares its output.
precision highp float;
out vec4 color;
void main() {
    gl_FragColor = vec4(1.0); //~ error: GLSL ES 3.00 has no `gl_FragColor` (it is in GLSL ES 1.00 and GLSL 1.10 to 4.10)
    gl_FragData[0] = vec4(1.0); //~ error: GLSL ES 3.00 has no `gl_FragData` (it is in GLSL ES 1.00 and GLSL 1.10 to 4.10)
}
