#version 300 es
// ES 3.00, 4.3.8.3: A block and its matrices have layouts.
precision highp float;
out vec4 color;
layout(std140) uniform Block {
    vec4 a;
    layout(row_major) mat4 m;
    layout(column_major) mat2 n;
};
layout(shared, row_major) uniform Other {
    mat3 o;
};
layout(packed) uniform Third {
    vec4 p;
};

void main() {
    color = a + m[1] + vec4(n[0], o[2].xy) + p;
}
