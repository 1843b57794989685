// GLSL, 1.10: Without `#version` the initial value of a uniform is a warning.
uniform float u = 2.0; //~ warning
void main() {
    gl_FragColor = vec4(u, 0.0, 0.0, 1.0);
}
