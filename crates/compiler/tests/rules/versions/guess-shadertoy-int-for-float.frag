// ES, 3.00: In Shadertoy's dress an int for a float is a warning, since other versions convert it.
// value: 1 2 0 1
void mainImage(out vec4 color, in vec2 place) {
    float a = 1; //~ warning
    color = vec4(a, 2, 0, 1);
}
