#version 300 es
// ES 3.00, 3.8: Names that begin with `gl_` are reserved, those of parameters too.
precision highp float;
out vec4 color;
float f(float gl_x) { return 1.0; } //~ error: `gl_x` begins with `gl_`

void main() {
    color = vec4(1.0);
}
