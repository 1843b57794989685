// ES 1.00, 3.4: A condition is a whole expression.
#version 100
precision mediump float;
#if 1 + //~ error: this expression is incomplete
#endif
#if (1 //~ error: this `(` has no `)`
#endif
#if * 2 //~ error: unexpected `*`
#endif
#if 1 2 //~ error: expected one condition
#endif
#if 1) //~ error: unexpected `)`
#endif

void main() {
    gl_FragColor = vec4(1.0);
}
