// ES 1.00, 3.7: `switch` is a reserved word.
#version 100
precision mediump float;
uniform int n;

void main() {
    float a = 0.0;
    switch (n) { //~ error: `switch` is a keyword of GLSL 1.30 and GLSL ES 3.00, not of GLSL ES 1.00
    }
}
