// GLSL 1.10, 4.1.10: With `#version` what the version does not have is an error.
#version 110
uniform int n;
uniform sampler2D s;

void main() {
    float a = 1; //~ error: the initial value is of type `int`; expected `float`
    float b = n * 0.5; //~ error: `*` does not take `int` and `float`
    float c = 1.5f; //~ error: GLSL 1.10 has no numbers with `f`
    vec4 d = texture(s, vec2(0.5)); //~ error: GLSL 1.10 has no function `texture` (it is in GLSL ES 3.00 and later and GLSL 1.30 and later)
    float e = round(1.5); //~ error: GLSL 1.10 has no function `round` (it is in GLSL ES 3.00 and later and GLSL 1.30 and later)
    int f = n % 5; //~ error: GLSL 1.10 has no operator `%`
}
