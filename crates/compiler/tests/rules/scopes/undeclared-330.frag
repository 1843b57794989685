// GLSL 3.30, 4.2: A name is declared before it is used.
#version 330
out vec4 color;
void main() {
    float a = b; //~ error
    c = 1.0; //~ error
    color = vec4(d, e, 0.0, 1.0); //~ error
    f(1.0); //~ error
}
