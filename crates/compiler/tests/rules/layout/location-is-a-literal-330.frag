// GLSL 3.30, 4.3.8.2: A location is a literal number.
#version 330
const int n = 0;
layout(location = n) out vec4 a; //~ error: in GLSL 3.30 `location` takes a whole number
layout(location = 1 + 1) out vec4 b; //~ error: in GLSL 3.30 `location` takes a whole number
layout(location = 1.0) out vec4 c; //~ error: in GLSL 3.30 `location` takes a whole number

void main() {
}
