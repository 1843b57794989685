// ES 1.00, 5.5: A vector has no functions of its own.
#version 100
precision mediump float;
void main() {
    vec3 v = vec3(1.0);
    float a = v.size; //~ error: `size` are no components
    vec3 b = v.normalize(); //~ error: GLSL ES 1.00 has no methods
}
