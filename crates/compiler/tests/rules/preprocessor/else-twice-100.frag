// ES 1.00, 3.4: A condition has one `#else`.
#version 100
precision mediump float;
#if 1
#else
#else //~ error: a second `#else` for the condition on line 4
#endif

void main() {
    gl_FragColor = vec4(1.0);
}
