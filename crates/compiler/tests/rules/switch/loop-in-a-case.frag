// GLSL 3.30, 6.2: A loop in a case has its own `break`.
// value: 12 0 0 1
// set n = 1
#version 330
out vec4 color;
uniform int n;

void main() {
    float a = 0.0;
    switch (n) {
    case 1:
        for (int i = 0; i < 5; i++) {
            if (i == 2) break;
            a += 1.0;
        }
        a += 10.0;
        break;
    case 2:
        a = 50.0;
    }
    color = vec4(a, 0.0, 0.0, 1.0);
}
