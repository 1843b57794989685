// GLSL 3.30, 6.3: `for` may count several variables.
// value: 3 10 0 1
#version 330
out vec4 color;
void main() {
    int n = 0, sum = 0;
    for (int i = 0, j = 6; i < j; i++, j--) {
        n++;
        sum += j - i;
    }
    color = vec4(n, sum - 2, 0.0, 1.0);
}
