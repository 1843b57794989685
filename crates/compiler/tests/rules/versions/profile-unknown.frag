// GLSL 3.30, 3.3: The profiles are `core` and `compatibility`.
#version 330 modern //~ error: version 330 has no profile `modern`
void main() {
}
