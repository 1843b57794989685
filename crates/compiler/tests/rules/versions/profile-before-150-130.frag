// GLSL 1.30, 3.3: Before 1.50 there are no profiles.
#version 130 core //~ error
void main() {
}
