// Shadertoy: iMouse and iDate are vec4.
// value: 1 2 3 4
// set iMouse = 1 0 3 0
// set iDate = 0 2 0 4
void mainImage(out vec4 o, in vec2 p) {
    o = iMouse + iDate;
}
