// GLSL 3.30, 3.3: A macro with arguments has its `(` right after its name.
// value: 6 5 0 1
#version 330
out vec4 color;
#define MUL(a, b) ((a) * (b))
#define ADD( a , b ) (a+b)

void main() {
    color = vec4(MUL(2.0, 3.0), ADD(2.0, 3.0), 0.0, 1.0);
}
