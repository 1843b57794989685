// ES 1.00, 3.4: Nothing follows `#endif` in its line.
#version 100
precision mediump float;
#if 1
#endif A //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
