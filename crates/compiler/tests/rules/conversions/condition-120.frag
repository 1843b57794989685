// GLSL 1.20, 6.2: A condition is bool: numbers are not converted.
#version 120
void main() {
    if (1) {} //~ error
    while (0.0) {} //~ error
    for (int i = 0; i; i++) {} //~ error
    bool a = 1 && true; //~ error
}
