#version 300 es
// ES 3.00, 5.9: A wrong operation is one mistake, however large the expression around it.
precision highp float;
out vec4 color;
void main() {
    vec2 a = vec2(1.0);
    float b = 1.0 + (2.0 * (a + vec3(1.0)).x - 3.0) * 4.0; //~ error: `+` does not take `vec2` and `vec3`
    color = vec4(b, a, 1.0);
}
