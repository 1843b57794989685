// GLSL 1.20, 4.1.4: A float may have the suffix f or F.
// value: 1.5 0.5 2 3
#version 120
void main() {
    gl_FragColor = vec4(1.5f, .5F, 2.f, 3e0f);
}
