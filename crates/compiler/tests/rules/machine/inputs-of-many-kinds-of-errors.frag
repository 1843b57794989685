// GLSL 3.30, 4.1.7: What the machine lacks is reported beside what the language forbids.
#version 330
out vec4 color;
uniform samplerCube s; //~ error: inputs of type `samplerCube` are not supported

void main() {
    float a = true; //~ error: the initial value is of type `bool`; expected `float`
    color = vec4(a);
    gl_FragDepth = 1.0; //~ error: there is no variable `gl_FragDepth` here
}
