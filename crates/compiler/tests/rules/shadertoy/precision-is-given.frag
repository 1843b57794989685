// Shadertoy: Floats need no precision.
// value: 1 0 0 1
float f(float a) { return a; }
void mainImage(out vec4 o, in vec2 p) {
    o = vec4(f(1.0), 0.0, 0.0, 1.0);
}
