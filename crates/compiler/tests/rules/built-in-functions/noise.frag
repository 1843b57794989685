// GLSL 3.30, 8.9: The functions noise1 to noise4 may give 0 everywhere.
// value: 0 0 0 1
#version 330
out vec4 color;
void main() {
    color = vec4(noise1(1.0), noise2(vec2(1.0)).x, noise3(vec3(1.0)).y, noise4(vec4(1.0)).w + 1.0);
}
