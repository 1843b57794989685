#version 300 es
// ES 3.00, 4.1.9: Only arrays with a name have `length()`.
precision highp float;
int[3] f() { return int[3](1, 2, 3); }

void main() {
    int a[3], b[3];
    int n = f().length(); //~ error: in GLSL ES 3.00 `length()` is of a variable
    n = (a = b).length(); //~ error: in GLSL ES 3.00 `length()` is of a variable
    n = a.length();
}
