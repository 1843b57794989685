// GLSL 3.30, 4.3.5: A uniform's initial value is a constant expression.
#version 330
out vec4 color;
uniform float v;
uniform float u = v; //~ error: the initial value of a uniform is a constant expression

void main() {
    color = vec4(1.0);
}
