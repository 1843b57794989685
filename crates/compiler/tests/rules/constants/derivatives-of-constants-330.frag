// GLSL 3.30, 4.3.3: What a fetch gives is no constant expression.
#version 330
out vec4 color;
uniform sampler2D s;
const vec4 a = texture(s, vec2(0.5)); //~ error: the value of the constant `a` is not a constant expression

void main() {
    color = vec4(1.0);
}
