// GLSL 3.30, 6.4: A function with a result whose end is reached gives no value.
#version 330
out vec4 color;
float f(float x) { //~ warning: `f` has no `return`; its result is undefined; end it with `return` and a value
    x * 2.0;
}

void main() {
    color = vec4(f(1.0));
}
