// ES 1.00, 5.4.2: A vector from one scalar has it in every component.
// value: 2 2 3 1
#version 100
precision mediump float;
void main() {
    gl_FragColor = vec4(vec2(2.0), float(ivec3(3.9).y), float(bvec2(true).y));
}
