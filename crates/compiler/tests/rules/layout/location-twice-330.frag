// GLSL 3.30, 4.3.8.2: Two outputs have different locations.
#version 330
layout(location = 0) out vec4 a;
layout(location = 0) out vec4 b; //~ error: output 0 has two names, `b` is the second

void main() {
    a = vec4(1.0);
    b = vec4(1.0);
}
