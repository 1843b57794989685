#version 300 es
// ES 3.00, 6.3: The condition of `while` may declare a variable, which counts in the body and ends with the loop.
// value: 3 1 0 1
precision highp float;
out vec4 color;
void main() {
    float a = 0.0;
    int n = 0;
    bool go = true;
    while (bool go = n < 3) {
        if (go) a += 1.0;
        n++;
    }
    color = vec4(a, float(go), 0.0, 1.0);
}
