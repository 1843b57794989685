// GLSL 3.30, 6.3: `while` runs its body as long as its condition is true.
// value: 4 0 0 1
#version 330
out vec4 color;
void main() {
    float a = 1.0;
    int n = 0;
    while (n < 3) {
        a += 1.0;
        n++;
    }
    color = vec4(a, 0.0, 0.0, 1.0);
}
