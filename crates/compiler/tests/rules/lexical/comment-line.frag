// ES 1.00, 3.5: `//` begins a comment that ends with the line.
// value: 1 2 3 4
#version 100
precision mediump float;
void main() {
    gl_FragColor = vec4(1.0, 2.0, 3.0, 4.0); // gl_FragColor = vec4(9.0);
    // gl_FragColor = vec4(8.0); }
}
