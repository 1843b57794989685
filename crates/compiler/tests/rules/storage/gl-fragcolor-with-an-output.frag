// GLSL 3.30, 7.2: A shader writes gl_FragColor or its own outputs, not both.
#version 330
out vec4 color;
void main() {
    color = vec4(1.0);
    gl_FragColor = vec4(1.0); //~ error: the shader writes to `gl_FragColor` here, and to an output that it declares before
}
