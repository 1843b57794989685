#version 300 es
// ES 3.00, 4.1.8: A structure with a wrong member can be used.
precision highp float;
out vec4 color;
struct S {
    Thing a; //~ error: there is no type `Thing`
    float b;
};

void main() {
    S s;
    s.b = 1.0;
    s.a = 2.0;
    color = vec4(s.b);
}
