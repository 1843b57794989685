#version 300 es
// ES 3.00, 4.5.4: A default counts until its block ends.
// value: 1 0 0 1
out highp vec4 color;

void main() {
    highp float r;
    {
        precision mediump float;
        float a = 1.0;
        r = a;
    }
    color = vec4(r, 0.0, 0.0, 1.0);
}
