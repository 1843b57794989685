// GLSL 1.10, 7.2: The machine writes no depth.
#version 110
void main() {
    gl_FragColor = vec4(1.0);
    gl_FragDepth = 0.5; //~ error
}
