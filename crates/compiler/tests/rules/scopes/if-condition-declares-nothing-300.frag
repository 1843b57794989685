#version 300 es
// ES 3.00, 6.2: The condition of `if` declares nothing.
precision highp float;
out vec4 color;
void main() {
    if (bool a = true) {} //~ error: expected `(` after the type of a constructor, found `a`
}
