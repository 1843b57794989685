// GLSL 3.30, 6.3: A variable that a body declares gets its initial value in every round.
// value: 3 0 0 1
#version 330
out vec4 color;
void main() {
    float sum = 0.0;
    for (int i = 0; i < 3; i++) {
        float a = 0.0;
        a += 1.0;
        sum += a;
    }
    color = vec4(sum, 0.0, 0.0, 1.0);
}
