#version 300 es
// ES 3.00, 6.3: What the condition of `while` declares ends with the loop.
precision highp float;
out vec4 color;
void main() {
    int n = 0;
    while (bool go = n < 3) n++;
    color = vec4(go); //~ error: there is no variable `go`
}
