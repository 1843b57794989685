// ES 1.00, 3.4: A name that is not defined is no number in `#elif`.
#version 100
precision mediump float;
#if 0
#elif NOT_DEFINED == 1 //~ error
#endif

void main() {
    gl_FragColor = vec4(1.0);
}
