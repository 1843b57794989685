// GLSL 3.30, 4.2.2: A structure counts until its block ends.
#version 330
out vec4 color;
void main() {
    {
        struct S { float a; };
        S s = S(1.0);
    }
    S t; //~ error: there is no type `S`
}
