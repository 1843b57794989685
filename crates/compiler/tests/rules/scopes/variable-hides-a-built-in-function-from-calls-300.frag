#version 300 es
// ES 3.00, 4.2.2: A variable hides the built-in function of its name.
precision highp float;
out vec4 color;
void main() {
    float sin = 2.0;
    color = vec4(sin(1.0)); //~ error: `sin` is a variable, not a function
}
