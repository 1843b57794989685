#version 300 es
// ES 3.00, 4.2.2: A name does not count after its block.
precision highp float;
out vec4 color;
void main() {
    {
        float a = 1.0;
    }
    color = vec4(a); //~ error
}
