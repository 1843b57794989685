// GLSL 3.30, 3.3: `defined` takes a name.
#version 330
out vec4 color;
#if defined //~ error: expected the name of a macro after `defined`
#endif
#if defined(1) //~ error: expected the name of a macro after `defined`
#endif
#if defined(A //~ error: expected `)` after the name of a macro
#endif
#if defined() //~ error: expected the name of a macro after `defined`
#endif

void main() {
    color = vec4(1.0);
}
