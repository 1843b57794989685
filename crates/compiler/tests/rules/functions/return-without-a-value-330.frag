// GLSL 3.30, 6.4: A function with a result returns a value.
#version 330
out vec4 color;
float f() {
    return; //~ error: `return` needs a value of type `float` here
}

void main() {
    color = vec4(1.0);
}
