// GLSL 3.30, 4.3.8.2: An output has an index for blending of two sources.
// value: 1 2 3 4
#version 330
layout(location = 0, index = 0) out vec4 a;

void main() {
    a = vec4(1.0, 2.0, 3.0, 4.0);
}
