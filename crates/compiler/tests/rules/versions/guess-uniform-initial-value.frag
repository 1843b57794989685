// GLSL, 1.10: Without `#version` the initial value of a uniform is a warning.
uniform float u = 2.0; //~ warning: in GLSL 1.10 a uniform has no initial value; give the value when the shader runs; without `#version` the source is read as GLSL 1.10
void main() {
    gl_FragColor = vec4(u, 0.0, 0.0, 1.0);
}
