// ES 1.00, 7.4: The constants of other versions are not there.
#version 100
precision mediump float;
void main() {
    int a = gl_MaxVertexOutputVectors; //~ error
    int b = gl_MaxProgramTexelOffset; //~ error
}
