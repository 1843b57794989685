#version 300 es
// ES 3.00, 6.3: The condition of `do` declares nothing.
precision highp float;
out vec4 color;
void main() {
    do {} while (bool a = false); //~ error: expected `(` after the type of a constructor, found `a`
}
