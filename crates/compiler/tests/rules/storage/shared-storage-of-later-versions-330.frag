// GLSL 3.30, 4.3: There is no `buffer` and no `shared` storage.
#version 330
out vec4 color;
buffer float a; //~ error: the type `float` cannot be a name
shared float b; //~ error: the type `float` cannot be a name

void main() {
    color = vec4(1.0);
}
