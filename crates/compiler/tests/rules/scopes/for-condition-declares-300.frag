#version 300 es
// ES 3.00, 6.3: The condition of `for` may declare a variable.
// value: 3 0 0 1
precision highp float;
out vec4 color;
void main() {
    float a = 0.0;
    for (int i = 0; bool go = i < 3; i++) {
        if (go) a += 1.0;
    }
    color = vec4(a, 0.0, 0.0, 1.0);
}
