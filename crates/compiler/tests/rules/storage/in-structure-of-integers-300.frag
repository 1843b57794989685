#version 300 es
// ES 3.00, 4.3.4: An input whose structure has integers is flat.
precision highp float;
out vec4 color;
struct S { float a; int b; };
in S s; //~ error: an input of type `S` has integers, and must be `flat`
flat in S ok;

void main() {
    color = vec4(1.0);
}
