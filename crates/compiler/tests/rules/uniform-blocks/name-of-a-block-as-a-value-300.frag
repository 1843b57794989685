#version 300 es
// ES 3.00, 4.3.7: The name of a block is not used within the shader.
precision highp float;
out vec4 color;
uniform A { float a; } b;

void main() {
    color = vec4(A.a); //~ error: `A` is a block, not a value
    color += A(1.0); //~ error: `A` is a block, not a function
    A c; //~ error: `A` is a block, not a type
}
