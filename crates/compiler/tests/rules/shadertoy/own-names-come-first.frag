// Shadertoy: A shader's own name hides that of the page.
// value: 9 0 0 1
const float iTime = 9.0;
void mainImage(out vec4 o, in vec2 p) {
    o = vec4(iTime, 0.0, 0.0, 1.0);
}
