// GLSL 3.30, 4.3.8.2: Outputs without locations get them when the shader is linked.
#version 330
out vec4 a;
out vec4 b;

void main() {
    a = vec4(1.0);
    b = vec4(2.0);
}
