// GLSL 3.30, 4.3.8.2: A location has a number.
#version 330
layout(location) out vec4 a; //~ error: `location` needs a number

void main() {
}
