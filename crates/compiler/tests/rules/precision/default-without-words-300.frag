#version 300 es
// ES 3.00, 4.5.4: `precision` needs a precision and a type.
precision highp float;
out vec4 color;
precision float; //~ error
precision highp; //~ error
precision; //~ error

void main() {
    color = vec4(1.0);
}
