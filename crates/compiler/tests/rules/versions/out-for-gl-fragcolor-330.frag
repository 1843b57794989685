// GLSL 3.30, 4.3.6: A shader declares its outputs.
// value: 1 0 0 1
#version 330
out vec4 result;
void main() {
    result = vec4(1.0, 0.0, 0.0, 1.0);
}
