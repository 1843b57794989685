#version 300 es
// ES 3.00, 4.3: There is no `buffer` and no `shared` storage.
precision highp float;
out vec4 color;
buffer float a; //~ error: the type `float` cannot be a name
shared float b; //~ error: the type `float` cannot be a name

void main() {
    color = vec4(1.0);
}
