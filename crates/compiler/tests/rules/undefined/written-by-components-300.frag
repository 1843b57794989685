#version 300 es
// ES 3.00, 4.3: a vector whose components are all written, in whatever order, has a value.
// set u = 2
// value: 2 2 4 1
precision highp float;
uniform float u;
out vec4 color;
void main() {
    vec3 g;
    g.x = u;
    g.yz = vec2(u, 2.0 * u);
    color = vec4(g, 1.0);
}
