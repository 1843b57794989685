// GLSL 3.30, 4.3.6: An output may have fewer than four channels.
#version 330
out vec2 color;

void main() {
    color = vec2(1.0, 2.0);
}
