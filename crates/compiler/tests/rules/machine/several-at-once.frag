// GLSL 3.30, 5.1: Each thing that the machine cannot have is an error at its place.
#version 330
out vec4 color;
uniform uint a, b;
uniform float u;
uint twice(uint x) {
    return ~x; //~ error: `~` of an unsigned integer is above 2^24: integers are exact up to there
}

void main() {
    uint c = ~a; //~ error: `~` of an unsigned integer is above 2^24: integers are exact up to there
    if (u > 0.0) {
        c += twice(c);
        c = c + ~b; //~ error: `~` of an unsigned integer is above 2^24: integers are exact up to there
    }
    color = vec4(c);
}
