// GLSL 3.30, 4.3.8.2: Two outputs have different locations.
#version 330
layout(location = 0) out vec4 a;
layout(location = 0) out vec4 b; //~ error

void main() {
    a = vec4(1.0);
    b = vec4(1.0);
}
