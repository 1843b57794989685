// ES 1.00, 3.4: `all` cannot be required or enabled.
#version 100
precision mediump float;
#extension all : require //~ error
#extension all : enable //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
