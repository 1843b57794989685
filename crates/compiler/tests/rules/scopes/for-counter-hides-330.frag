// GLSL 3.30, 6.3: What the head of `for` declares hides a name outside.
// value: 7 3 0 1
#version 330
out vec4 color;
void main() {
    int i = 7;
    float n = 0.0;
    for (int i = 0; i < 3; i++) n += 1.0;
    color = vec4(float(i), n, 0.0, 1.0);
}
