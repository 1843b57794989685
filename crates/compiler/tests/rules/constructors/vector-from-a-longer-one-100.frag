// ES 1.00, 5.4.2: A vector from a longer one takes its first components.
// value: 1 2 1 4
// set v = 1 2 3 4
#version 100
precision mediump float;
uniform vec4 v;

void main() {
    gl_FragColor = vec4(vec2(v), vec3(v).x, v.w);
}
