// ES 1.00, 3.4: `all` stands for every extension, with `warn` or `disable`.
// value: 1 0 0 1
#version 100
precision mediump float;
#extension all : disable
#extension all : warn
#extension all:disable

void main() {
    gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0);
}
