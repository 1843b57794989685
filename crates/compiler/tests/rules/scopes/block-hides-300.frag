#version 300 es
// ES 3.00, 4.2.2: A block is a scope: a name in it hides that outside, until the block ends.
// value: 1 2 3 1
// set u = 1
precision highp float;
out vec4 color;
uniform float u;

void main() {
    float a = u;
    float b, c;
    {
        float a = u + 1.0;
        b = a;
        {
            float a = u + 2.0;
            c = a;
        }
    }
    color = vec4(a, b, c, 1.0);
}
