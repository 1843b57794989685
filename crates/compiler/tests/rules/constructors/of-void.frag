// ES 1.00, 5.4: Nothing is made from void.
#version 100
precision mediump float;
void f() {}

void main() {
    float a = float(f()); //~ error: this function has no result: it is `void`
    vec2 b = vec2(1.0, f()); //~ error: this function has no result: it is `void`
}
