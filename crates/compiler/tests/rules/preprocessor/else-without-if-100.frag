// ES 1.00, 3.4: `#else`, `#elif` and `#endif` belong to an `#if`.
#version 100
precision mediump float;
#else //~ error: `#else` without `#if`
#elif 1 //~ error: `#elif` without `#if`
#endif //~ error: `#endif` without `#if`

void main() {
    gl_FragColor = vec4(1.0);
}
