#version 300 es
// ES 3.00, 3.7: Keywords cannot be names of members.
precision highp float;
out vec4 color;
struct S {
    float break; //~ error: expected the name of a member, found the keyword `break`
    int b;
};

void main() {
    color = vec4(1.0);
}
