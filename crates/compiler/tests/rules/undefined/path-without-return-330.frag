// GLSL 3.30, 6.4: A function with a result whose end is reached gives no value.
#version 330
out vec4 color;
float f(float x) { //~ warning: `f` has a path without `return`; the result is then undefined; end each path with `return`
    x * 2.0;
}

void main() {
    color = vec4(f(1.0));
}
