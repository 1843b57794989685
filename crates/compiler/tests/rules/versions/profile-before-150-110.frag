// GLSL 1.10, 3.3: Before 1.50 there are no profiles.
#version 110 core //~ error: version 110 has no profile `core`
void main() {
}
