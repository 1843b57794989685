#version 300 es
// ES 3.00, 5.9: Vectors of different sizes do not go together.
precision highp float;
out vec4 color;
void main() {
    vec2 a = vec2(1.0);
    vec3 b = vec3(1.0);
    vec3 c = a + b; //~ error: `+` does not take `vec2` and `vec3`
    b *= a; //~ error: `*` does not take `vec3` and `vec2`
    bool d = a == b; //~ error: `==` does not take `vec2` and `vec3`
}
