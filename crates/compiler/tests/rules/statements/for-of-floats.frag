// ES 1.00, 6.3: A counter may be a float.
// value: 4 0 0 1
#version 100
precision mediump float;
void main() {
    float a = 0.0;
    for (float i = 0.0; i < 2.0; i += 0.5) a += 1.0;
    gl_FragColor = vec4(a, 0.0, 0.0, 1.0);
}
