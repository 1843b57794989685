#version 300 es
// ES 3.00, 4.3.3: What a fetch gives is no constant expression.
precision highp float;
out vec4 color;
uniform sampler2D s;
const vec4 a = texture(s, vec2(0.5)); //~ error: the value of the constant `a` is not a constant expression

void main() {
    color = vec4(1.0);
}
