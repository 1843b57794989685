// Shadertoy: The language is ES 3.00.
// value: 3 2 5 1
void mainImage(out vec4 o, in vec2 p) {
    uint a = 3u;
    int b = 17 % 5;
    float c[2] = float[2](4.0, 5.0);
    switch (b) {
    case 2:
        o = vec4(float(a), float(b), c[1], 1.0);
        break;
    default:
        o = vec4(0.0);
    }
}
