// GLSL 3.30, 3.3: From 1.50 on a version may have a profile.
// value: 1 0 0 1
#version 330 core
out vec4 color;
void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
