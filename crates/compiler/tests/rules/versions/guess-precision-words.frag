// GLSL, 1.10: Without `#version` a precision at a variable is a warning, since GLSL 1.10 has no such word.
// value: 1 0 0 1
void main() {
    mediump float a = 1.0; //~ warning: `mediump` is a keyword of GLSL 1.30 and GLSL ES 1.00, not of GLSL 1.10; without `#version` the source is read as GLSL 1.10
    gl_FragColor = vec4(a, 0.0, 0.0, 1.0);
}
