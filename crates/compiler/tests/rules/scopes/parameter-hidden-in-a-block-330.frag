// GLSL 3.30, 4.2.2: A block within the body may hide a parameter.
// value: 2 1 0 1
#version 330
out vec4 color;
float inner;
float f(float a) {
    {
        float a = 2.0;
        inner = a;
    }
    return a;
}

void main() {
    float a = f(1.0);
    color = vec4(inner, a, 0.0, 1.0);
}
