// GLSL 1.10, 8.9: The functions noise1 to noise4 may give 0 everywhere.
// value: 0 0 0 1
#version 110
void main() {
    gl_FragColor = vec4(noise1(1.0), noise2(vec2(1.0)).x, noise3(vec3(1.0)).y, noise4(vec4(1.0)).w + 1.0);
}
