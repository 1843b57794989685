#version 300 es
// ES 3.00, 6.1: `main` is not called by itself.
precision highp float;
out vec4 color;
void main() {
    main(); //~ error: the function `main` calls itself
}
