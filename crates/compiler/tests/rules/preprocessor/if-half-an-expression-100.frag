// ES 1.00, 3.4: A condition is a whole expression.
#version 100
precision mediump float;
#if 1 + //~ error
#endif
#if (1 //~ error
#endif
#if * 2 //~ error
#endif
#if 1 2 //~ error
#endif
#if 1) //~ error
#endif

void main() {
    gl_FragColor = vec4(1.0);
}
