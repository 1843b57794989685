// GLSL 3.30, 6.3: `for` computes its start once, then condition, body and step in turn.
// value: 6 0 0 1
#version 330
out vec4 color;
void main() {
    float a = 0.0;
    for (int i = 1; i <= 3; i++) a += float(i);
    color = vec4(a, 0.0, 0.0, 1.0);
}
