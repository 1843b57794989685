#version 300 es
// ES 3.00, 3.7: Names that begin with `gl_` are the language's own.
precision highp float;
uniform A { float a; } gl_a; //~ error: `gl_a` begins with `gl_`

void main() {
}
