// GLSL 1.30, 3.3: Before 1.50 there are no profiles.
#version 130 core //~ error: version 130 has no profile `core`
void main() {
}
