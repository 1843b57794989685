// ES 1.00, 8.6: lessThan and the like compare vectors component by component.
// value: 1 0 1 0
// set v = 1 2
#version 100
precision mediump float;
uniform vec2 v;

void main() {
    bvec2 a = lessThan(v, vec2(2.0, 2.0)), b = equal(v, vec2(1.0, 3.0));
    bvec2 c = greaterThanEqual(ivec2(1, 2), ivec2(1, 3));
    gl_FragColor = vec4(vec2(a), float(b.x && c.x), float(notEqual(bvec2(true), bvec2(true)).x));
}
