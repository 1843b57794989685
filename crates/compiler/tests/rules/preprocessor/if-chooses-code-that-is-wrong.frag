// GLSL 3.30, 3.3: A mistake in the group that is taken is a mistake.
#version 330
out vec4 color;
void main() {
#if 1
    float a = true; //~ error: the initial value is of type `bool`; expected `float`
#else
    float b = true;
#endif
}
