// GLSL 3.30, 6.2: The label of a case is a constant expression.
// value: 2 0 0 1
// set n = 4
#version 330
out vec4 color;
uniform int n;
const int k[2] = int[2](3, 4);

void main() {
    float a = 0.0;
    switch (n) {
    case k[0]:
        a = 1.0;
        break;
    case int(max(4.0, 2.0)):
        a = 2.0;
        break;
    case 2 + 3:
        a = 3.0;
        break;
    }
    color = vec4(a, 0.0, 0.0, 1.0);
}
