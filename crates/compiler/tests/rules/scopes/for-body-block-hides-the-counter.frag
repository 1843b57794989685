#version 300 es
// ES 3.00, 6.3: A block within the body may hide the counter.
// value: 10 0 0 1
precision highp float;
out vec4 color;
void main() {
    float a = 0.0;
    for (int i = 0; i < 2; i++) {
        {
            float i = 5.0;
            a += i;
        }
    }
    color = vec4(a, 0.0, 0.0, 1.0);
}
