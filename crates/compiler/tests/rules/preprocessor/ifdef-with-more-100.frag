// ES 1.00, 3.4: `#ifdef` and `#ifndef` take one name and nothing more.
#version 100
precision mediump float;
#ifdef A B //~ error
#endif
#ifndef A + 1 //~ error
#endif

void main() {
    gl_FragColor = vec4(1.0);
}
