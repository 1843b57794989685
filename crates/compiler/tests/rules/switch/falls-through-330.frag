// GLSL 3.30, 6.2: Without `break` the next case follows.
// value: 23 3 0 1
// set n = 2
#version 330
out vec4 color;
uniform int n;
float run(int k) {
    float a = 0.0;
    switch (k) {
    case 1:
        a = a * 10.0 + 1.0;
    case 2:
        a = a * 10.0 + 2.0;
    case 3:
        a = a * 10.0 + 3.0;
        break;
    case 4:
        a = a * 10.0 + 4.0;
    }
    return a;
}

void main() {
    color = vec4(run(n), run(n + 1), 0.0, 1.0);
}
