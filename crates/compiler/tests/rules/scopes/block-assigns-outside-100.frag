// ES 1.00, 4.2.2: Without a declaration in the block the name is that outside.
// value: 5 0 0 1
#version 100
precision mediump float;
void main() {
    float a = 1.0;
    {
        a = 5.0;
    }
    gl_FragColor = vec4(a, 0.0, 0.0, 1.0);
}
