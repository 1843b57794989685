// GLSL 3.30, 3.3: `defined` takes a name.
#version 330
out vec4 color;
#if defined //~ error
#endif
#if defined(1) //~ error
#endif
#if defined(A //~ error
#endif
#if defined() //~ error
#endif

void main() {
    color = vec4(1.0);
}
