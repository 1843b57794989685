// ES 1.00, 5.5: A swizzle of a variable may be changed by an operator.
// value: 3 6 3 3
#version 100
precision mediump float;
void main() {
    vec4 v = vec4(1.0, 2.0, 3.0, 4.0);
    v.xy *= 3.0;
    v.w -= 1.0;
    gl_FragColor = v;
}
