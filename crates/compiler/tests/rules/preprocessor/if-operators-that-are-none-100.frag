// ES 1.00, 3.4: Conditions have no assignment, no comma, no `?`, no increment.
#version 100
precision mediump float;
#if 1 ? 1 : 0 //~ error: unexpected `?`
#endif
#if 1, 1 //~ error: unexpected `,`
#endif
#if ++1 //~ error: unexpected `++`
#endif
#define A 1
#if A = 1 //~ error: unexpected `=`
#endif

void main() {
    gl_FragColor = vec4(1.0);
}
