// GLSL 3.30, 5.5: A vector has no functions of its own.
#version 330
out vec4 color;
void main() {
    vec3 v = vec3(1.0);
    float a = v.size; //~ error: `size` are no components
    vec3 b = v.normalize(); //~ error: a value of type `vec3` has no function `normalize`
}
