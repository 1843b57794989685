// GLSL 1.10, 4.1.7: The machine has inputs of two dimensions only: no sampler3D.
#version 110
uniform sampler3D s; //~ error: inputs of type `sampler3D` are not supported

void main() {
    gl_FragColor = vec4(1.0);
}
