#version 300 es
// ES 3.00, 6.2: A `switch` may be empty; its number is computed all the same.
// value: 1 0 0 1
precision highp float;
out vec4 color;
int calls = 0;
int next() { calls++; return 1; }

void main() {
    switch (next()) {
    }
    color = vec4(calls, 0.0, 0.0, 1.0);
}
