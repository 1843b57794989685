// ES 1.00, 3.4: `#else`, `#elif` and `#endif` belong to an `#if`.
#version 100
precision mediump float;
#else //~ error
#elif 1 //~ error
#endif //~ error

void main() {
    gl_FragColor = vec4(1.0);
}
