// Shadertoy: The output is what mainImage gives.
// value: 1 2 3 4
void mainImage(out vec4 o, vec2 p) {
    o = vec4(1.0, 2.0, 3.0, 4.0);
}
