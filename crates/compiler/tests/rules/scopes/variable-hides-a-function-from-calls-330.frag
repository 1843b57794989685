// GLSL 3.30, 4.2.2: A local variable hides a function, which then cannot be called.
#version 330
out vec4 color;
float f(float x) { return x; }

void main() {
    float f = 2.0;
    color = vec4(f(1.0)); //~ error: `f` is a variable, not a function
}
