// GLSL 1.10, 4.1.7: The machine does not compare depths: no shadow samplers.
#version 110
uniform sampler2DShadow s; //~ error: inputs of type `sampler2DShadow` are not supported

void main() {
    gl_FragColor = vec4(1.0);
}
