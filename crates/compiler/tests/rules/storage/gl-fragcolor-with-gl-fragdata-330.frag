// GLSL 3.30, 7.2: A shader writes gl_FragColor or gl_FragData, not both.
#version 330
void main() {
    gl_FragColor = vec4(1.0);
    gl_FragData[0] = vec4(1.0); //~ error: the shader writes to `gl_FragData` here, and to `gl_FragColor` before
}
