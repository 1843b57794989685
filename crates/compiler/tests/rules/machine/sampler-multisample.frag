// GLSL 3.30, 4.1.7: The machine has no samples within a pixel.
#version 330
out vec4 color;
uniform sampler2DMS s; //~ error: inputs of type `sampler2DMS` are not supported

void main() {
    color = vec4(1.0);
}
