// GLSL 3.30, 4.1.7: What the machine lacks is reported beside what the language forbids.
#version 330
out vec4 color;
uniform samplerCube s; //~ error

void main() {
    float a = true; //~ error
    color = vec4(a);
    gl_FragDepth = 1.0; //~ error
}
