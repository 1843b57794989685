// GLSL 1.10, 3.6: `switch` is a reserved word.
#version 110
uniform int n;

void main() {
    float a = 0.0;
    switch (n) { //~ error: `switch` is a keyword of GLSL 1.30 and GLSL ES 3.00, not of GLSL 1.10
    }
}
