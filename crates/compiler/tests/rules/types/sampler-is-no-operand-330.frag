// GLSL 3.30, 4.1.7: Samplers are no operands.
#version 330
out vec4 color;
uniform sampler2D s, t;

void main() {
    bool a = s == t; //~ error: `==` does not compare samplers
    float b = s + 1.0; //~ error: `+` does not take `sampler2D` and `float`
    color = vec4(s); //~ error: `vec4` is not made of (sampler2D)
    true ? s : t; //~ error: `?:` does not choose samplers
}
