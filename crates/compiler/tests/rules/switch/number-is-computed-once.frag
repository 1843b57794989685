#version 300 es
// ES 3.00, 6.2: The number of a `switch` is computed once.
// value: 3 1 0 1
precision highp float;
out vec4 color;
int calls = 0;
int next() { calls++; return 3; }

void main() {
    float a = 0.0;
    switch (next()) {
    case 1: a = 1.0; break;
    case 2: a = 2.0; break;
    case 3: a = 3.0; break;
    }
    color = vec4(a, calls, 0.0, 1.0);
}
