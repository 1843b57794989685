// GLSL 3.30, 6.2: A `switch` begins with a case.
#version 330
out vec4 color;
uniform int n;

void main() {
    float a;
    switch (n) {
        a = 1.0; //~ error: a statement precedes the first label of `switch`
    case 1:
        break;
    }
}
