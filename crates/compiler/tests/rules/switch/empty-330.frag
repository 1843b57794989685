// GLSL 3.30, 6.2: A `switch` may be empty; its number is computed all the same.
// value: 1 0 0 1
#version 330
out vec4 color;
int calls = 0;
int next() { calls++; return 1; }

void main() {
    switch (next()) {
    }
    color = vec4(calls, 0.0, 0.0, 1.0);
}
