// ES 1.00, 7.2: There is no gl_FragDepth.
#version 100
precision mediump float;
void main() {
    gl_FragColor = vec4(1.0);
    gl_FragDepth = 1.0; //~ error: there is no variable `gl_FragDepth` here
}
