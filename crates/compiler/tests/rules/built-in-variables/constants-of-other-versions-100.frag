// ES 1.00, 7.4: The constants of other versions are not there.
#version 100
precision mediump float;
void main() {
    int a = gl_MaxVertexOutputVectors; //~ error: GLSL ES 1.00 has no `gl_MaxVertexOutputVectors` (it is in GLSL ES 3.00 and later)
    int b = gl_MaxProgramTexelOffset; //~ error: GLSL ES 1.00 has no `gl_MaxProgramTexelOffset` (it is in GLSL ES 3.00 and later and GLSL 1.30 and later)
}
