#version 300 es
// ES 3.00, 3.4: `#ifdef` and `#ifndef` take one name.
precision highp float;
out vec4 color;
#ifdef //~ error: expected the name of a macro
#endif
#ifndef //~ error: expected the name of a macro
#endif
#ifdef 1 //~ error: expected the name of a macro
#endif

void main() {
    color = vec4(1.0);
}
