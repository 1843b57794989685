#version 300 es
// ES 3.00, 6.2: Where no case fits and there is no `default`, nothing happens.
// value: 5 0 0 1
// set n = 7
precision highp float;
out vec4 color;
uniform int n;

void main() {
    float a = 5.0;
    switch (n) {
    case 1:
        a = 1.0;
    }
    color = vec4(a, 0.0, 0.0, 1.0);
}
