// GLSL 1.20, 5.9: Only the selected operand of `?:` is evaluated.
// value: 2 0 0 1
#version 120
uniform sampler2D s;
void main() {
    float a = false ? texture2D(s, vec2(0.5)).r : 2.0;
    gl_FragColor = vec4(a, 0.0, 0.0, 1.0);
}
