// ES 1.00, 3.4: Nothing follows `#else` in its line.
#version 100
precision mediump float;
#if 1
#else 1 //~ error: unexpected text after `#else`
#endif

void main() {
    gl_FragColor = vec4(1.0);
}
