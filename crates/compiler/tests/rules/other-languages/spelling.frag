// GLSL 3.30, 4.2: A name that is nearly right.
#version 330
out vec4 color;
uniform float brightness;

void main() {
    vec4 c = vec4(brightnes); //~ error
    c = normalise(c); //~ error
    retrun; //~ error
    vce2 d; //~ error
    color = c;
}
