// GLSL 3.30, 8: Functions take as many arguments as they have parameters.
#version 330
out vec4 color;
void main() {
    float a = sin(); //~ error
    float b = sin(1.0, 2.0); //~ error
    float c = clamp(1.0, 2.0); //~ error
    float d = max(1.0); //~ error
    float e = max(1.0, 2.0, 3.0); //~ error
    float f = smoothstep(0.0, 1.0); //~ error
}
