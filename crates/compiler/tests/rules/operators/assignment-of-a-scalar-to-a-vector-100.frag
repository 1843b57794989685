// ES 1.00, 5.8: The types of an assignment are equal: a scalar is not a vector.
#version 100
precision mediump float;
void main() {
    vec2 a = 1.0; //~ error
    a = 2.0; //~ error
    float b = vec2(1.0); //~ error
    vec3 c = vec4(1.0); //~ error
    mat2 d = 1.0; //~ error
}
