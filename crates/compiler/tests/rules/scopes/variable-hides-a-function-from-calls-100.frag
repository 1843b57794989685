// ES 1.00, 4.2.6: A local variable hides a function, which then cannot be called.
#version 100
precision mediump float;
float f(float x) { return x; }

void main() {
    float f = 2.0;
    gl_FragColor = vec4(f(1.0)); //~ error: `f` is a variable, not a function
}
