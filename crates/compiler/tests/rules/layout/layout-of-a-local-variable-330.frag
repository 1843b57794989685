// GLSL 3.30, 4.3.8: A local variable has no layout.
#version 330
out vec4 color;
void main() {
    layout(location = 0) vec4 a = vec4(1.0); //~ error: `layout` is not allowed on a variable of a function
}
