// ES 1.00, 6: Statements and blocks may be empty.
// value: 1 0 0 1
#version 100
precision mediump float;
void main() {
    ;
    {}
    { ; }
    if (true) ; else {}
    for (int i = 0; i < 2; i++) ;
    gl_FragColor = vec4(1.0, 0.0, 0.0, 1.0);
}
