// GLSL 3.30, 4.2: A name that is nearly right.
#version 330
out vec4 color;
uniform float brightness;

void main() {
    vec4 c = vec4(brightnes); //~ error: there is no variable `brightnes`
    c = normalise(c); //~ error: there is no function `normalise`
    retrun; //~ error: there is no variable `retrun`
    vce2 d; //~ error: there is no type `vce2`
    color = c;
}
