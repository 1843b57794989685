// ES 1.00, 5.8: The types of an assignment are equal: a scalar is not a vector.
#version 100
precision mediump float;
void main() {
    vec2 a = 1.0; //~ error: the initial value is of type `float`; expected `vec2`
    a = 2.0; //~ error: the value is of type `float`; expected `vec2`
    float b = vec2(1.0); //~ error: the initial value is of type `vec2`; expected `float`
    vec3 c = vec4(1.0); //~ error: the initial value is of type `vec4`; expected `vec3`
    mat2 d = 1.0; //~ error: the initial value is of type `float`; expected `mat2`
}
