// GLSL 1.20, 4.6: `invariant` is a qualifier from 1.20 on.
// value: 1 0 0 1
#version 120
invariant varying vec4 v;

void main() {
    gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0);
}
