// ES 1.00, 3.4: A condition cannot divide by 0.
#version 100
precision mediump float;
#if 1 / 0 //~ error
#endif
#if 1 % 0 //~ error
#endif

void main() {
    gl_FragColor = vec4(1.0);
}
