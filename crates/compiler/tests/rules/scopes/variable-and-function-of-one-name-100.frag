// ES 1.00, 4.2.6: Variables, functions and types of one scope have different names.
#version 100
precision mediump float;
float a = 1.0;
float a() { return 1.0; } //~ error: `a` is declared twice in one scope
float b() { return 1.0; }
float b = 1.0; //~ error: `b` is declared twice in one scope

void main() {
    gl_FragColor = vec4(1.0);
}
