#version 300 es
// ES 3.00, 6.2: A `switch` within another has its own labels.
// value: 12 0 0 1
// set n = 1
precision highp float;
out vec4 color;
uniform int n;

void main() {
    float a = 0.0;
    switch (n) {
    case 1:
        a = 10.0;
        switch (n + 1) {
        case 1:
            a += 1.0;
            break;
        case 2:
            a += 2.0;
            break;
        }
        break;
    case 2:
        a = 20.0;
    }
    color = vec4(a, 0.0, 0.0, 1.0);
}
