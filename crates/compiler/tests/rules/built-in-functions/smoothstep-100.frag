// ES 1.00, 8.3: smoothstep is 0 before its edges, 1 after them, 1/2 in their middle.
// value: 0 0.5 1 1
// set u = 2
#version 100
precision mediump float;
uniform float u;

void main() {
    gl_FragColor = vec4(smoothstep(3.0, 4.0, u), smoothstep(1.0, 3.0, u), smoothstep(vec2(0.0), vec2(1.0), vec2(u)));
}
