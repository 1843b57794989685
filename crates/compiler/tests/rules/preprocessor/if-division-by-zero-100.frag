// ES 1.00, 3.4: A condition cannot divide by 0.
#version 100
precision mediump float;
#if 1 / 0 //~ error: division by zero in a condition
#endif
#if 1 % 0 //~ error: division by zero in a condition
#endif

void main() {
    gl_FragColor = vec4(1.0);
}
