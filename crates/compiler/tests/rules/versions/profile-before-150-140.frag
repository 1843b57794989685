// GLSL 1.40, 3.3: Before 1.50 there are no profiles.
#version 140 compatibility //~ error: version 140 has no profile `compatibility`
void main() {
}
