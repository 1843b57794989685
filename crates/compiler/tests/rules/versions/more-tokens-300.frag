#version 300 es 1 //~ error
// ES 3.00, 3.3: Nothing follows the profile.
void main() {
}
