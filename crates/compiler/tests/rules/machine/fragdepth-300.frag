#version 300 es
// ES 3.00, 7.2: The machine writes no depth.
precision highp float;
out vec4 color;
void main() {
    color = vec4(1.0);
    gl_FragDepth = 0.5; //~ error: there is no variable `gl_FragDepth` here
}
