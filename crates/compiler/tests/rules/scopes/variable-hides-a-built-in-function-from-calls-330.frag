// GLSL 3.30, 4.2.2: A variable hides the built-in function of its name.
#version 330
out vec4 color;
void main() {
    float sin = 2.0;
    color = vec4(sin(1.0)); //~ error: `sin` is a variable, not a function
}
