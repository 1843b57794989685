#version 300 es
// ES 3.00, 4.2: A variable whose declaration is wrong is declared all the same, so that its uses are not wrong,
// too.
precision highp float;
out vec4 color;
void main() {
    float a = missing; //~ error: there is no variable `missing`
    float b = a + 1.0;
    vec2 c = vec2(b, a);
    color = vec4(c, a, b);
}
