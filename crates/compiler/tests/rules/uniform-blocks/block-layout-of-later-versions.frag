#version 300 es
// ES 3.00, 4.3.8.3: std430 and bindings belong to later versions.
precision highp float;
out vec4 color;
layout(std430) uniform Block { //~ error: GLSL ES 3.00 has no layout `std430`
    vec4 a;
};
layout(binding = 1) uniform Other { //~ error: GLSL ES 3.00 has no layout `binding`
    vec4 b;
};

void main() {
    color = vec4(1.0);
}
