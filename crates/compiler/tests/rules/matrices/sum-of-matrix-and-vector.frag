#version 300 es
// ES 3.00, 5.9: Only products go with a matrix and a vector.
precision highp float;
out vec4 color;
void main() {
    mat2 a = mat2(1.0);
    vec2 v = vec2(1.0);
    vec2 b = a + v; //~ error: `+` does not take `mat2` and `vec2`
    vec2 c = v - a; //~ error: `-` does not take `vec2` and `mat2`
    vec2 d = v / a; //~ error: `/` does not take `vec2` and `mat2`
    bool e = a == v; //~ error: `==` does not take `mat2` and `vec2`
}
