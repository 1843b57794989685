// ES 1.00, 4.1.8: The members of a structure are names within it only.
#version 100
precision mediump float;
struct S { float a; };

void main() {
    S s = S(1.0);
    gl_FragColor = vec4(a); //~ error: there is no variable `a`
}
