// ES 1.00, 4.2.2: A name counts after its initial value, which may read one of the same name from outside.
// value: 3 2 0 1
// set u = 2
#version 100
precision mediump float;
uniform float u;

void main() {
    float x = u;
    float r = 0.0;
    {
        float x = x + 1.0;
        r = x;
    }
    gl_FragColor = vec4(r, x, 0.0, 1.0);
}
