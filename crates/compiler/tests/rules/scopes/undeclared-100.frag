// ES 1.00, 4.2: A name is declared before it is used.
#version 100
precision mediump float;
void main() {
    float a = b; //~ error
    c = 1.0; //~ error
    gl_FragColor = vec4(d, e, 0.0, 1.0); //~ error
    f(1.0); //~ error
}
