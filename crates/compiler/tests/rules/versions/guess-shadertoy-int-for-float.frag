// ES, 3.00: In Shadertoy's dress an int for a float is a warning, since other versions convert it.
// value: 1 2 0 1
void mainImage(out vec4 color, in vec2 place) {
    float a = 1; //~ warning: GLSL ES 3.00 does not convert `int` to `float`, and without `#version` this source is taken for it; write a number with a point, as `2.0`, or convert it with `float(...)`
    color = vec4(a, 2, 0, 1);
}
