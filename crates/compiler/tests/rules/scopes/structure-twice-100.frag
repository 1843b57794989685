// ES 1.00, 4.2.7: A structure is declared once in a scope.
#version 100
precision mediump float;
struct S { float a; };
struct S { float a; }; //~ error: `S` is declared twice in one scope

void main() {
    gl_FragColor = vec4(1.0);
}
