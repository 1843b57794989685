// ES 1.00, 3.4: `#ifdef` and `#ifndef` take one name.
#version 100
precision mediump float;
#ifdef //~ error
#endif
#ifndef //~ error
#endif
#ifdef 1 //~ error
#endif

void main() {
    gl_FragColor = vec4(1.0);
}
