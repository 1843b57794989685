#version 300 es
// ES 3.00, 5.4: A constructor has a type without qualifiers.
precision highp float;
out vec4 color;
void main() {
    float a = const float(1.0); //~ error: expected an expression, found `const`
}
