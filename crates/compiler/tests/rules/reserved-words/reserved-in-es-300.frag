#version 300 es
// ES 3.00, 3.7: Words of later versions are reserved.
precision highp float;
out vec4 color;
void main() {
    float coherent = 1.0; //~ error: `coherent` is a reserved word of GLSL ES 3.00, it cannot be a name
    float restrict = 1.0; //~ error: `restrict` is a reserved word of GLSL ES 3.00, it cannot be a name
    float readonly = 1.0; //~ error: `readonly` is a reserved word of GLSL ES 3.00, it cannot be a name
    float atomic_uint = 1.0; //~ error: `atomic_uint` is a reserved word of GLSL ES 3.00, it cannot be a name
    float patch = 1.0; //~ error: `patch` is a reserved word of GLSL ES 3.00, it cannot be a name
    float sample = 1.0; //~ error: `sample` is a reserved word of GLSL ES 3.00, it cannot be a name
    float subroutine = 1.0; //~ error: `subroutine` is a reserved word of GLSL ES 3.00, it cannot be a name
    float resource = 1.0; //~ error: `resource` is a reserved word of GLSL ES 3.00, it cannot be a name
}
