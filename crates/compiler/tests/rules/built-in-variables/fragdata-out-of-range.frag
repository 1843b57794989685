// GLSL 3.30, 7.2: gl_FragData has as many elements as the machine has outputs: four.
#version 330
void main() {
    gl_FragData[4] = vec4(1.0); //~ error
    gl_FragData[-1] = vec4(1.0); //~ error
}
