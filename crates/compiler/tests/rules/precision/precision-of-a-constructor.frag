#version 300 es
// ES 3.00, 5.4: A constructor has no precision.
precision highp float;
out vec4 color;
void main() {
    vec2 a = mediump vec2(1.0); //~ error: expected an expression, found `mediump`
}
