#version 300 es
// Shadertoy, : With `#version 300 es` the dress is the same.
// value: 0.5 0.5 0 1
precision highp float;
void mainImage(out vec4 o, in vec2 p) {
    o = vec4(p, 0.0, 1.0);
}
