// GLSL 3.30, 6.4: A function with a result returns on every path.
#version 330
out vec4 color;
uniform float u;
float f(float x) { //~ warning: `f` has a path without `return`; the result is then undefined; end each path with `return`
    if (x > 1.0) return 1.0;
}

void main() {
    color = vec4(f(u));
}
