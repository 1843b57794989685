// GLSL 3.30, 5.4.3: A structure is made from as many values of the same types as it has members.
#version 330
out vec4 color;
struct S { float a; vec2 b; };

void main() {
    S s = S(1.0); //~ error: the constructor of `S` takes 2 arguments; 1 is given
    S t = S(1.0, vec2(1.0), 2.0); //~ error: the constructor of `S` takes 2 arguments; 3 are given
    S u = S(vec2(1.0), 1.0); //~ error: the value of the member `a` of `S` is of type `vec2`; expected `float`
    S v = S(); //~ error: the constructor of `S` takes 2 arguments; 0 are given
    S w = S(1.0, 1.0, 1.0); //~ error: the constructor of `S` takes 2 arguments; 3 are given
}
