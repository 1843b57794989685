#version 300 es
// ES 3.00, 6.3: What the body of `do` declares ends before its condition.
precision highp float;
out vec4 color;
void main() {
    do {
        bool again = false;
    } while (again); //~ error
}
