#version 300 es
// ES 3.00, 6.2: What a `switch` declares ends with it, and is declared once.
precision highp float;
out vec4 color;
uniform int n;

void main() {
    switch (n) {
    case 0:
        float a = 1.0;
        break;
    case 1:
        float a = 2.0; //~ error: `a` is declared twice in one scope
        break;
    }
    color = vec4(a); //~ error: there is no variable `a`
}
