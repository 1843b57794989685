// ES 1.00, 3.4: No `#elif` follows `#else`.
#version 100
precision mediump float;
#if 1
#else
#elif 1 //~ error
#endif

void main() {
    gl_FragColor = vec4(1.0);
}
