// ES 1.00, 4.5.3: A default counts until its block ends.
// value: 1 0 0 1
#version 100
void main() {
    highp float r;
    {
        precision mediump float;
        float a = 1.0;
        r = a;
    }
    gl_FragColor = vec4(r, 0.0, 0.0, 1.0);
}
