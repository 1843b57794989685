// GLSL 3.30, 5.5: A vector has no functions of its own.
#version 330
out vec4 color;
void main() {
    vec3 v = vec3(1.0);
    float a = v.size; //~ error
    vec3 b = v.normalize(); //~ error
}
