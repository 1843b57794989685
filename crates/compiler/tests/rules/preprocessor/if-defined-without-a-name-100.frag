// ES 1.00, 3.4: `defined` takes a name.
#version 100
precision mediump float;
#if defined //~ error
#endif
#if defined(1) //~ error
#endif
#if defined(A //~ error
#endif
#if defined() //~ error
#endif

void main() {
    gl_FragColor = vec4(1.0);
}
