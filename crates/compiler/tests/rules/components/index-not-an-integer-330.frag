// GLSL 3.30, 5.5: The number of a component is an integer.
#version 330
out vec4 color;
void main() {
    vec4 v = vec4(1.0);
    float a = v[1.0]; //~ error
    float b = v[true]; //~ error
    float c = v[ivec2(1)]; //~ error
    float d = v[]; //~ error
}
