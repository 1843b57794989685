// ES 1.00, 5.5: The result of a function has components.
// value: 2 1 3 1
#version 100
precision mediump float;
vec2 f() { return vec2(1.0, 2.0); }

void main() {
    gl_FragColor = vec4(f().yx, (vec2(3.0) + f() * 0.0).x, 1.0);
}
