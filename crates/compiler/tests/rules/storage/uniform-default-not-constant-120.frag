// GLSL 1.20, 4.3.5: A uniform's initial value is a constant expression.
#version 120
uniform float v;
uniform float u = v; //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
