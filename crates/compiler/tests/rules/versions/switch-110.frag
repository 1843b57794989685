// GLSL 1.10, 3.6: `switch` is a reserved word.
#version 110
uniform int n;

void main() {
    float a = 0.0;
    switch (n) { //~ error
    }
}
