// GLSL 1.20, 4.3.5: A uniform may have an initial value.
#version 120
uniform float u = 2.0;

void main() {
    gl_FragColor = vec4(u, 0.0, 0.0, 1.0);
}
