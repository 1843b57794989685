// ES 1.00, 3.4: `defined` takes a name.
#version 100
precision mediump float;
#if defined //~ error: expected the name of a macro after `defined`
#endif
#if defined(1) //~ error: expected the name of a macro after `defined`
#endif
#if defined(A //~ error: expected `)` after the name of a macro
#endif
#if defined() //~ error: expected the name of a macro after `defined`
#endif

void main() {
    gl_FragColor = vec4(1.0);
}
