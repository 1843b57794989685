// ES 1.00, 6.3: The condition of a loop is one bool.
#version 100
precision mediump float;
void main() {
    for (int i = 3; i; i--) {} //~ error
    for (float a = 1.0; a - 1.0; ) {} //~ error
    while (1) {} //~ error
    do {} while (1.0); //~ error
}
