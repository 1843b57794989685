// ES 1.00, 4.3.1: `+=` reads before it writes.
#version 100
precision mediump float;
void main() {
    float a;
    a += 1.0; //~ warning: `a` is read before a value is written to it; it is declared on line 5: give it a value there
    gl_FragColor = vec4(a, 0.0, 0.0, 1.0);
}
