#version 300 es
// ES 3.00, 6.4: A function with a result returns a value.
precision highp float;
out vec4 color;
float f() {
    return; //~ error: `return` needs a value of type `float` here
}

void main() {
    color = vec4(1.0);
}
