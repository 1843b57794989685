// GLSL 3.30, 4.3.2: A constant of a function may use those outside.
// value: 6 2 0 1
#version 330
out vec4 color;
const int n = 2;

void main() {
    const int m = n * 3;
    {
        const int n = m - 4;
        float a[n];
        a[1] = 2.0;
        color = vec4(float(m), a[n - 1], 0.0, 1.0);
    }
}
