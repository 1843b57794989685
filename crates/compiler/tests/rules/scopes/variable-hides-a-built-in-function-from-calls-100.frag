// ES 1.00, 4.2.6: A variable hides the built-in function of its name.
#version 100
precision mediump float;
void main() {
    float sin = 2.0;
    gl_FragColor = vec4(sin(1.0)); //~ error
}
