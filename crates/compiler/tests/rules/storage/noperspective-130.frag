// GLSL 1.30, 4.3.4: An input may be `noperspective`.
// value: 1 0 0 1
#version 130
out vec4 color;
noperspective in vec2 a;

void main() {
    color = vec4(1.0, 0.0, 0.0, 1.0);
}
