// GLSL 1.20, 5.9: An ivec and a float: the ivec is converted.
// value: 1.5 3 0 1
#version 120
void main() {
    vec2 a = ivec2(1, 2) * 1.5;
    gl_FragColor = vec4(a, 0.0, 1.0);
}
