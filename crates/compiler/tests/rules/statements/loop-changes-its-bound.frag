// GLSL 3.30, 6.3: The condition is computed before every round.
// value: 3 0 0 1
#version 330
out vec4 color;
void main() {
    int n = 0, bound = 6;
    for (int i = 0; i < bound; i++) {
        n++;
        bound--;
    }
    color = vec4(n, 0.0, 0.0, 1.0);
}
