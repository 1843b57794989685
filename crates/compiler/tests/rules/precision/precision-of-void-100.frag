// ES 1.00, 4.5.2: void has no precision.
#version 100
precision mediump float;
mediump void f() {} //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
