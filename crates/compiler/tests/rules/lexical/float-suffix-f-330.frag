// GLSL 3.30, 4.1.4: A float may have the suffix f or F.
// value: 1.5 0.5 2 3
#version 330
out vec4 color;
void main() {
    color = vec4(1.5f, .5F, 2.f, 3e0f);
}
