// GLSL 3.30, 6.4: `continue` in `do` goes on with the condition.
// value: 3 1 0 1
#version 330
out vec4 color;
void main() {
    int n = 0;
    float a = 0.0;
    do {
        n++;
        if (n > 1) continue;
        a += 1.0;
    } while (n < 3);
    color = vec4(n, a, 0.0, 1.0);
}
