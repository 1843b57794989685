// GLSL 3.30, 3.3: `#version` needs a number.
#version //~ error: expected a version after `#version`
void main() {
}
