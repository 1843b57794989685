// ES 1.00, 3.4: `#if` and `#elif` need a condition.
#version 100
precision mediump float;
#if //~ error: expected a condition
#endif
#if 0
#elif //~ error: expected a condition
#endif

void main() {
    gl_FragColor = vec4(1.0);
}
