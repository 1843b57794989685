// GLSL 3.30, 4.3.8.2: An index goes with a location.
#version 330
layout(index = 0) out vec4 a; //~ error: `index` needs a location

void main() {
}
