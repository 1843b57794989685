#version 300 es
// ES 3.00, 4.2: A name that is nearly another one is still not declared.
precision highp float;
out vec4 color;
uniform vec3 colour;
float brightness(vec3 c) { return c.x; }

void main() {
    float a = brightnes(colour); //~ error: there is no function `brightnes`
    color = vec4(color_, 1.0); //~ error: there is no variable `color_`
    float b = colour.x + colur.y; //~ error: there is no variable `colur`
}
