// GLSL 3.30, 6.2: A condition is bool: numbers are not converted.
#version 330
out vec4 color;
void main() {
    if (1) {} //~ error
    while (0.0) {} //~ error
    for (int i = 0; i; i++) {} //~ error
    bool a = 1 && true; //~ error
}
