// GLSL 3.30, 3.6: Keywords cannot be names of functions.
#version 330
out vec4 color;
float while(float a) { return a; } //~ error: expected the name of a function, found the keyword `while`
float vec3(float a) { return a; } //~ error: the type `vec3` cannot be a name

void main() {
    color = vec4(1.0);
}
