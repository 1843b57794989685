// Shadertoy: A shader has a function mainImage, which gets the place of the point.
// value: 0.5 0.5 0 1
void mainImage(out vec4 fragColor, in vec2 fragCoord) {
    fragColor = vec4(fragCoord, 0.0, 1.0);
}
