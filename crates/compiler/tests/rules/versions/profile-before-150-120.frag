// GLSL 1.20, 3.3: Before 1.50 there are no profiles.
#version 120 core //~ error: version 120 has no profile `core`
void main() {
}
