#version 300 es
// ES 3.00, 3.4: `#ifdef` and `#ifndef` take one name and nothing more.
precision highp float;
out vec4 color;
#ifdef A B //~ error: unexpected text after `#ifdef NAME`
#endif
#ifndef A + 1 //~ error: unexpected text after `#ifdef NAME`
#endif

void main() {
    color = vec4(1.0);
}
