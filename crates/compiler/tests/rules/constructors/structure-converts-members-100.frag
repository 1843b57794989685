// ES 1.00, 5.4.3: A member takes a value of its own type.
#version 100
precision mediump float;
struct S { float a; float b; };

void main() {
    S s = S(1, 2.0); //~ error: the value of the member `a` of `S` is of type `int`; expected `float`
    gl_FragColor = vec4(s.a, s.b, 0.0, 1.0);
}
