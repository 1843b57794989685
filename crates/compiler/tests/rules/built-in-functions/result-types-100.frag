// ES 1.00, 8: A call has the type of the function's result.
#version 100
precision mediump float;
void main() {
    float a = normalize(vec2(1.0)); //~ error: the initial value is of type `vec2`; expected `float`
    vec2 b = length(vec2(1.0)); //~ error: the initial value is of type `float`; expected `vec2`
    vec3 c = lessThan(vec3(1.0), vec3(2.0)); //~ error: the initial value is of type `bvec3`; expected `vec3`
    bool d = step(0.5, 1.0); //~ error: the initial value is of type `float`; expected `bool`
}
