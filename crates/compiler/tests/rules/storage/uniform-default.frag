// GLSL 3.30, 4.3.5: A uniform's initial value is a constant expression.
#version 330
out vec4 color;
uniform vec3 u = vec3(1.0, 2.0, 3.0);
uniform float w[2] = float[2](1.0, 2.0);
uniform int n = 3;

void main() {
    color = vec4(u, w[1] + float(n));
}
