// GLSL 3.30, 6.3: The body may change the counter.
// value: 3 0 0 1
#version 330
out vec4 color;
void main() {
    int n = 0;
    for (int i = 0; i < 6; i++) {
        n++;
        i++;
    }
    color = vec4(n, 0.0, 0.0, 1.0);
}
