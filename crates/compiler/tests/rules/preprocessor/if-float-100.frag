// ES 1.00, 3.4: Conditions are of integers.
#version 100
precision mediump float;
#if 1.0 //~ error: `1.0` is no whole number
#endif
#if 2 > 1.5 //~ error: `1.5` is no whole number
#endif

void main() {
    gl_FragColor = vec4(1.0);
}
