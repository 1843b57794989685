// GLSL 3.30, 7.2: gl_FragData has as many elements as the machine has outputs: four.
#version 330
void main() {
    gl_FragData[4] = vec4(1.0); //~ error: the index 4 is out of range: `vec4[4]` has 4 elements
    gl_FragData[-1] = vec4(1.0); //~ error: the index -1 is out of range: `vec4[4]` has 4 elements
}
