#version 300 es
// ES 3.00, 5.9: `!` is for bool.
precision highp float;
out vec4 color;
void main() {
    bool a = !1; //~ error
    bool b = !1.0; //~ error
    bvec2 c = !bvec2(true); //~ error
}
