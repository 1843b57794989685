// ES 1.00, 4.6.1: `invariant` names a variable that was declared.
#version 100
precision mediump float;
invariant a; //~ error: there is no variable `a`

void main() {
    gl_FragColor = vec4(1.0);
}
