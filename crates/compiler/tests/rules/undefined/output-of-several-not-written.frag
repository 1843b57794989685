// GLSL 3.30, 7.2: An output that is declared and never written is undefined.
#version 330
layout(location = 0) out vec4 a;
layout(location = 1) out vec4 b; //~ warning: the output `b` is never written; assign a value to it, or leave it out

void main() {
    a = vec4(1.0);
}
