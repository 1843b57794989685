// ES 1.00, 4.1.7: The machine has inputs of two dimensions only: no samplerCube.
#version 100
precision mediump float;
uniform samplerCube s; //~ error: inputs of type `samplerCube` are not supported

void main() {
    gl_FragColor = vec4(1.0);
}
