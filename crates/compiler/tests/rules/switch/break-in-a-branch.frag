#version 300 es
// ES 3.00, 6.4: `break` within an `if` ends the `switch`.
// value: 1 5 0 1
// set n = 1
precision highp float;
out vec4 color;
uniform int n;
float run(int k, bool early) {
    float a = 0.0;
    switch (k) {
    case 1:
        a = 1.0;
        if (early) break;
        a = 5.0;
    }
    return a;
}

void main() {
    color = vec4(run(n, true), run(n, false), 0.0, 1.0);
}
