// ES 1.00, 3.7: `switch` is a reserved word.
#version 100
precision mediump float;
uniform int n;

void main() {
    float a = 0.0;
    switch (n) { //~ error
    }
}
