#version 300 es
// ES 3.00, 3.1: Space, tab, vertical tab, form feed, carriage return and line feed separate tokens.
// value: 1 2 0 1
precision highp float;
out vec4 color;
void main() {
    float	a=1.0;
    float b=2.0;
    color=vec4(a,b,0.0,1.0);
}
