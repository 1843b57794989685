// Shadertoy: mainImage writes its out parameter, else the colour is undefined.
void mainImage(out vec4 o, in vec2 p) { //~ warning: the `out` parameter `o` is never written; its argument is then undefined: assign a value to it
    float a = p.x;
}
