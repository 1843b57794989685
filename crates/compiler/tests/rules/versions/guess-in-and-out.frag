// GLSL, 1.10: Without `#version` inputs and outputs of later versions are a warning.
// value: 1 0 0 1
in vec2 uv; //~ warning
out vec4 color; //~ warning
void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
