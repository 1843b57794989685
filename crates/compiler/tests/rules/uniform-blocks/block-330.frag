// GLSL 3.30, 4.3.7: A uniform block without an instance name gives its members to the global scope.
#version 330
out vec4 color;
uniform Block {
    vec4 a;
    float b;
};

void main() {
    color = a * b;
}
