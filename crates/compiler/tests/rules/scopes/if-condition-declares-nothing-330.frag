// GLSL 3.30, 6.2: The condition of `if` declares nothing.
#version 330
out vec4 color;
void main() {
    if (bool a = true) {} //~ error: expected `(` after the type of a constructor, found `a`
}
