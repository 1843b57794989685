// Shadertoy: An error is in the line of the source.
void mainImage(out vec4 o, in vec2 p) {
    float a = true; //~ error
    o = vec4(b); //~ error
}
