// GLSL 3.30, 3.3: Nothing follows the profile.
#version 330 core 1 //~ error: unexpected text after `#version`
void main() {
}
