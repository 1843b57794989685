// GLSL 3.30, 6.2: A mistake in one branch hides none in the others.
#version 330
out vec4 color;
uniform float u;

void main() {
    float a = 0.0;
    if (u) { //~ error
        a = true; //~ error
    } else if (u > 1.0 { //~ error
        a = 2.0;
    } else {
        a = missing; //~ error
    }
}
