// GLSL 3.30, 6.2: A label is a constant expression.
#version 330
out vec4 color;
uniform int n, m;

void main() {
    int k = 1;
    switch (n) {
    case k: //~ error: a label must be a constant expression
        break;
    case m: //~ error: a label must be a constant expression
        break;
    }
}
