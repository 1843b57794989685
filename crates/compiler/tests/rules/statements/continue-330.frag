// GLSL 3.30, 6.4: `continue` goes on with the step of the innermost loop.
// value: 4 5 0 1
#version 330
out vec4 color;
void main() {
    float a = 0.0, b = 0.0;
    for (int i = 0; i < 5; i++) {
        b += 1.0;
        if (i == 3) continue;
        a += 1.0;
    }
    color = vec4(a, b, 0.0, 1.0);
}
