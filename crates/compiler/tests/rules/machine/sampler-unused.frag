// GLSL 3.30, 4.1.7: A sampler that the machine cannot have is an error, also where it is not used.
#version 330
out vec4 color;
uniform sampler3D unused; //~ error: inputs of type `sampler3D` are not supported

void main() {
    color = vec4(1.0);
}
