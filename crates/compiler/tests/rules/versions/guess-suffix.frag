// GLSL, 1.10: Without `#version` the suffix f is a warning, since later versions have it.
// value: 1.5 0 0 1
void main() {
    float a = 1.5f; //~ warning: GLSL 1.10 has no numbers with `f`; write `1.5`; without `#version` the source is read as GLSL 1.10
    gl_FragColor = vec4(a, 0.0, 0.0, 1.0);
}
