// GLSL 3.30, 4.1.7: A function of a sampler that the machine cannot have is an error.
#version 330
out vec4 color;
vec4 f(samplerCube s) { return texture(s, vec3(1.0)); } //~ error: inputs of type `samplerCube` are not supported

void main() {
    color = vec4(1.0);
}
