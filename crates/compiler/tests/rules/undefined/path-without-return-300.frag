#version 300 es
// ES 3.00, 6.4: A function with a result whose end is reached gives no value.
precision highp float;
out vec4 color;
float f(float x) { //~ warning: `f` has no `return`; its result is undefined; end it with `return` and a value
    x * 2.0;
}

void main() {
    color = vec4(f(1.0));
}
