// Shadertoy: iResolution is the size of the picture, a vec3.
// value: 8 4 1 1
// set iResolution = 8 4 1
void mainImage(out vec4 o, in vec2 p) {
    o = vec4(iResolution, 1.0);
}
