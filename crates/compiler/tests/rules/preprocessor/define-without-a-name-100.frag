// ES 1.00, 3.4: `#define` needs a name.
#version 100
precision mediump float;
#define //~ error: expected the name of a macro
#define 1 2 //~ error: expected the name of a macro, found `1`
#define (x) x //~ error: expected the name of a macro, found `(`

void main() {
    gl_FragColor = vec4(1.0);
}
