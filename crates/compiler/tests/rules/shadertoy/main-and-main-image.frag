#version 300 es
// Shadertoy, : A shader with a `main` of its own is no Shadertoy: mainImage is a function like others.
// value: 2 3 0 1
precision highp float;
out vec4 color;
void mainImage(out vec4 o, in vec2 p) {
    o = vec4(p, 0.0, 1.0);
}
void main() {
    mainImage(color, vec2(2.0, 3.0));
}
