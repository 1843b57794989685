// ES 1.00, 3.4: `#define` needs a name.
#version 100
precision mediump float;
#define //~ error
#define 1 2 //~ error
#define (x) x //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
