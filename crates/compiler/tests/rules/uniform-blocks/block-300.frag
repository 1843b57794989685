#version 300 es
// ES 3.00, 4.3.7: A uniform block without an instance name gives its members to the global scope.
precision highp float;
out vec4 color;
uniform Block {
    vec4 a;
    float b;
};

void main() {
    color = a * b;
}
