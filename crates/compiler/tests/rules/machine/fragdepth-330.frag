// GLSL 3.30, 7.2: The machine writes no depth.
#version 330
out vec4 color;
void main() {
    color = vec4(1.0);
    gl_FragDepth = 0.5; //~ error: there is no variable `gl_FragDepth` here
}
