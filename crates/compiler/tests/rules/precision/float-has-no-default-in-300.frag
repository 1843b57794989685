#version 300 es
// ES 3.00, 4.5.4: A fragment shader has no default precision for floats.
out vec4 color; //~ error

void main() {
}
