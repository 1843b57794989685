// ES 1.00, 9: Every `{` has its `}`: the error is at the one that is not closed.
#version 100
precision mediump float;
void main() { //~ error: this `{` has no `}`
    if (true) {
        gl_FragColor = vec4(1.0);
    }
