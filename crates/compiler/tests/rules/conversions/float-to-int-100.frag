// ES 1.00, 5.8: A float is never converted to int.
#version 100
precision mediump float;
int f(int a) { return a; }

void main() {
    int a = 1.0; //~ error
    a = 2.0; //~ error
    int b = f(1.5); //~ error
    ivec2 c = vec2(1.0); //~ error
    a += 1.0; //~ error
}
