#version 300 es
// ES 3.00, 3.7: Words of later versions are reserved.
precision highp float;
out vec4 color;
void main() {
    float coherent = 1.0; //~ error
    float restrict = 1.0; //~ error
    float readonly = 1.0; //~ error
    float atomic_uint = 1.0; //~ error
    float patch = 1.0; //~ error
    float sample = 1.0; //~ error
    float subroutine = 1.0; //~ error
    float resource = 1.0; //~ error
}
