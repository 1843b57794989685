#version 300 es
// ES 3.00, 8.8: texelFetch of a sampler2D has a level.
precision highp float;
out vec4 color;
uniform sampler2D s;

void main() {
    vec4 a = texelFetch(s, ivec2(1)); //~ error: no function `texelFetch` takes (sampler2D, ivec2)
}
