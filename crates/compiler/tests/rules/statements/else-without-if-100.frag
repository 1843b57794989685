// ES 1.00, 6.2: `else` belongs to an `if`.
#version 100
precision mediump float;
void main() {
    gl_FragColor = vec4(1.0);
    else gl_FragColor = vec4(2.0); //~ error: this `else` has no `if`
}
