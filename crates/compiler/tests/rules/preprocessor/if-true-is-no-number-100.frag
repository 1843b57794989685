// ES 1.00, 3.4: `true` is a name for the preprocessor, and it is not defined.
#version 100
precision mediump float;
#if true //~ error
#endif

void main() {
    gl_FragColor = vec4(1.0);
}
