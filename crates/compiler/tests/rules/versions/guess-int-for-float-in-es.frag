// ES, 1.00: Without `#version` an int for a float is a warning, since other versions convert it.
// value: 1 1 0 1
precision mediump float;
void main() {
    float a = 1; //~ warning: GLSL ES 1.00 does not convert `int` to `float`, and without `#version` this source is taken for it; write a number with a point, as `2.0`, or convert it with `float(...)`
    vec2 b = vec2(1.0) * 2 - 1; //~ warning: GLSL ES 1.00 does not convert `int` to `float`, and without `#version` this source is taken for it; write a number with a point, as `2.0`, or convert it with `float(...)`
    gl_FragColor = vec4(a, b.x, 0.0, 1.0);
}
