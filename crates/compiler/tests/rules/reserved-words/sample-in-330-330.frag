// GLSL 3.30, 3.6: `sample` and `patch` are names like others.
// value: 1 2 0 1
#version 330
out vec4 color;
void main() {
    float sample = 1.0, patch = 2.0;
    color = vec4(sample, patch, 0.0, 1.0);
}
