// GLSL 3.30, 3.3: `#ifdef` and `#ifndef` take one name and nothing more.
#version 330
out vec4 color;
#ifdef A B //~ error: unexpected text after `#ifdef NAME`
#endif
#ifndef A + 1 //~ error: unexpected text after `#ifdef NAME`
#endif

void main() {
    color = vec4(1.0);
}
