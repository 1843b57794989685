// GLSL 3.30, 5.4.1: A scalar is made from one value.
#version 330
out vec4 color;
void main() {
    float a = float(1.0, 2.0); //~ error
    int b = int(1, 2); //~ error
    bool c = bool(true, false); //~ error
}
