// Shadertoy: mainImage writes its out parameter, else the colour is undefined.
void mainImage(out vec4 o, in vec2 p) { //~ warning
    float a = p.x;
}
