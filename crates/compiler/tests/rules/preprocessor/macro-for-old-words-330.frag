// GLSL 3.30, 3.3: Macros can give an old shader the words of a new version.
// value: 1 2 3 4
#version 330
out vec4 color;
#define varying in
#define gl_FragColor color
varying vec2 uv;
void main() {
    gl_FragColor = vec4(1.0, 2.0, 3.0, 4.0);
}
