// GLSL 3.30, 4.1.7: The machine does not compare depths: no shadow samplers.
#version 330
out vec4 color;
uniform sampler2DShadow s; //~ error: inputs of type `sampler2DShadow` are not supported

void main() {
    color = vec4(1.0);
}
