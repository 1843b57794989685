#version 300 es
// ES 3.00, 6.1: The result has the same precision in all declarations of a function.
precision highp float;
out vec4 color;
lowp float f(float x);
mediump float f(float x) { //~ error: the result of `f` has another precision than on line 5
    return x;
}

void main() {
    color = vec4(f(1.0));
}
