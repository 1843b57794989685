// ES 1.00, 6.1: A shader has one `main`.
#version 100
precision mediump float;
void main() {
    gl_FragColor = vec4(1.0);
}
void main() { //~ error: the function `main` is defined twice
}
