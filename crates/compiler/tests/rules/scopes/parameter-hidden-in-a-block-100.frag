// ES 1.00, 4.2.2: A block within the body may hide a parameter.
// value: 2 1 0 1
#version 100
precision mediump float;
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
    gl_FragColor = vec4(inner, a, 0.0, 1.0);
}
