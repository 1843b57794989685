// GLSL 3.30, 4.3.1: A variable that is written only after it is read has no value there.
#version 330
out vec4 color;
void main() {
    float a;
    float b = a + 1.0; //~ warning: `a` is read before a value is written to it; it is declared on line 5: give it a value there
    a = 2.0;
    color = vec4(a, b, 0.0, 1.0);
}
