// GLSL 3.30, 4.3: `varying` and `gl_FragColor` stay through 3.30, though outdated from 1.30 on.
// value: 1 0 0 1
#version 330
varying vec2 uv;
void main() {
    gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0);
}
