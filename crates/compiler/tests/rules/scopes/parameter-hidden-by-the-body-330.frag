// GLSL 3.30, 4.2.2: Parameters and the body of a function are one scope.
#version 330
out vec4 color;
float f(float a) {
    float a = 2.0; //~ error: `a` is declared twice in one scope
    return a;
}

void main() {
}
