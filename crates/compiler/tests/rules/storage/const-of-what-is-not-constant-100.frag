// ES 1.00, 4.3.2: The initial value of a constant is a constant expression.
#version 100
precision mediump float;
uniform float u;
varying float v;
const float a = u; //~ error: the value of the constant `a` is not a constant expression
float f() { return 1.0; }
const float b = f(); //~ error: the value of the constant `b` is not a constant expression
float g = 1.0;
const float c = g; //~ error: the value of the constant `c` is not a constant expression

void main() {
    const float d = v + 1.0; //~ error: the value of the constant `d` is not a constant expression
    const vec4 e = gl_FragCoord; //~ error: the value of the constant `e` is not a constant expression
}
