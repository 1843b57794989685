#version 300 es
// ES 3.00, 4.3.8: Uniforms have no location.
precision highp float;
out vec4 color;
layout(location = 0) uniform vec4 a; //~ error: GLSL ES 3.00 has no layout `location` of uniforms

void main() {
    color = vec4(1.0);
}
