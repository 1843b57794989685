// ES 1.00, 3.4: `#undef` takes one name and nothing more.
#version 100
precision mediump float;
#define A
#undef A B //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
