// ES 1.00, 4.4: An out parameter has no value when the function begins.
#version 100
precision mediump float;
void f(out float a) {
    a += 1.0; //~ warning: `a` is read before a value is written to it; it is declared on line 4: give it a value there
}

void main() {
    float a = 1.0;
    f(a);
    gl_FragColor = vec4(a, 0.0, 0.0, 1.0);
}
